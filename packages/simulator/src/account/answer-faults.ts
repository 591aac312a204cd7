import type { ApiEndpoint } from './request-log.ts';

/** A way the API v2 fails to answer a request that was in order. */
export type AnswerFault =
  /** 429; Retry-After in seconds, as an HTTP date, as raw text, or (null) absent. */
  | { readonly kind: 'rate_limited'; readonly retryAfter: number | Date | string | null }
  /** Any other status with a problem object, for example 500 or 403. */
  | { readonly kind: 'status'; readonly status: number }
  /** Reads the request and never answers. */
  | { readonly kind: 'hang' }
  /** Closes the connection without an answer. */
  | { readonly kind: 'drop' }
  /** 200 and `application/json`, but not JSON: `body`, or by default a list cut off in the middle. */
  | { readonly kind: 'malformed_json'; readonly body?: string };

/** Deviations of otherwise good answers that other people's programs have met (LOCALTONET.md, "seen"). */
export interface AnswerShape {
  /** Wraps each list in an object under this key; null = a bare list. */
  wrapListsIn: string | null;
  idsAsStrings: boolean;
  /** Fields left out of every object. */
  missingFields: readonly string[];
}

export interface FaultScope {
  /** Absent: every endpoint. */
  readonly endpoint?: ApiEndpoint;
  /** Answers spoiled before the API is well again; absent: until cleared. */
  readonly times?: number;
}

/** The faults an API is set to show. The first that covers the endpoint is taken. */
export class AnswerFaults {
  #active: { fault: AnswerFault; endpoint: ApiEndpoint | null; left: number }[] = [];

  set(fault: AnswerFault, { endpoint, times = Number.POSITIVE_INFINITY }: FaultScope): void {
    this.#active.push({ fault, endpoint: endpoint ?? null, left: times });
  }

  clear(): void {
    this.#active = [];
  }

  take(endpoint: ApiEndpoint): AnswerFault | null {
    const found = this.#active.find((entry) => entry.endpoint === null || entry.endpoint === endpoint);
    if (!found) return null;
    found.left -= 1;
    if (found.left <= 0) this.#active = this.#active.filter((entry) => entry !== found);
    return found.fault;
  }
}
