/** The API v2 routes this account serves, by template: a path as sent may hold a token. */
export const API_ENDPOINTS = [
  'GET /auth-tokens',
  'GET /auth-tokens/{token}',
  'GET /auth-tokens/{token}/tunnels',
  'GET /tunnels',
  'GET /tunnels/{id}',
  'POST /tunnels/{id}/actions/start',
  'POST /tunnels/{id}/actions/stop',
] as const;

export type ApiEndpoint = (typeof API_ENDPOINTS)[number] | 'unknown';

export interface ApiRequest {
  readonly atMs: number;
  readonly endpoint: ApiEndpoint;
  /** The device's name or tunnel's id that was asked for; null for lists and for what the account does not have. */
  readonly subject: string | null;
  /** Null while unanswered; hung and dropped requests stay so. */
  status: number | null;
  /** Path and query exactly as received, tokens and all; present only with `keepRawPaths`. */
  readonly rawPath?: string;
}

/** What was asked of the API, without any token, key or header. */
export class RequestLog {
  readonly entries: ApiRequest[] = [];
  readonly #counts = new Map<ApiEndpoint, number>();

  add(entry: ApiRequest): ApiRequest {
    this.entries.push(entry);
    this.#counts.set(entry.endpoint, this.count(entry.endpoint) + 1);
    return entry;
  }

  count(endpoint: ApiEndpoint): number {
    return this.#counts.get(endpoint) ?? 0;
  }

  counts(): Partial<Record<ApiEndpoint, number>> {
    return Object.fromEntries(this.#counts);
  }
}
