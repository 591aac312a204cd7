import type { IncomingHttpHeaders } from 'node:http';

/** A request that a fake service received. `body` is its JSON; undefined when it was none. */
export interface NotificationRequest {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: unknown;
  /** What it was answered; 0 for none. */
  readonly status: number;
}

export interface ServiceAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What proves to a service who is calling. Invented values only. */
export interface ServiceSecrets {
  /** The path of an incoming webhook. */
  readonly path?: string;
  readonly routingKey?: string;
  readonly signingSecret?: string;
  readonly topic?: string;
  readonly token?: string;
  readonly authorization?: string;
}

export type Checked = Omit<NotificationRequest, 'status' | 'atMs'>;
/** What a service says to a request, from its documentation alone. */
export type CheckService = (request: Checked, secrets: ServiceSecrets) => ServiceAnswer;

export type Fields = Readonly<Record<string, unknown>>;

export function asFields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

export function isText(value: unknown, longest: number, shortest = 1): value is string {
  return typeof value === 'string' && value.length >= shortest && value.length <= longest;
}

/** RFC 3339 with a zone, as every one of these services asks for. */
export function isInstant(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/.test(value);
}

export function isLink(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value);
}

export function isJson({ method, headers, body }: Checked): boolean {
  return method === 'POST' && headers['content-type']?.startsWith('application/json') === true && body !== undefined;
}
