/** The parts of a callback that decide whether it may ever be sent; the wire contract has checked their types. */
export interface CallbackRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Exactly what will be sent, as text or bytes; null when there is none. */
  readonly body: string | Uint8Array | null;
  readonly status?:
    | { readonly url: string; readonly headers?: Readonly<Record<string, string>> | undefined }
    | undefined;
}

export type CallbackField = 'url' | 'method' | 'headers' | 'body' | 'status' | 'status.url' | 'status.headers';
export type CallbackProblem =
  | 'too_long'
  | 'malformed'
  | 'scheme'
  | 'userinfo'
  | 'not_allowed'
  | 'too_many'
  | 'too_large'
  | 'forbidden_name'
  | 'malformed_name'
  | 'repeated_name'
  | 'malformed_value'
  | 'inexact_number';

/** Names a field and a fixed code; never a received value, nor a header's name. */
export interface CallbackError {
  readonly field: CallbackField;
  readonly problem: CallbackProblem;
}

export type CallbackValidation =
  | { readonly ok: true /** Scheme, host and port: all of the URL that lists may show. */; readonly origin: string }
  | { readonly ok: false; readonly errors: readonly CallbackError[] };

const METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE', 'GET']);
const MAX_URL_LENGTH = 2048;
const MAX_HEADERS = 64;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_BODY_BYTES = 1024 * 1024;

const HTTP_URL = /^https?:\/\/([^/?#]+)/i;
const OTHER_SCHEME = /^[a-z][a-z0-9+.-]*:/i;
/**
 * The URL parser drops or rewrites blanks, controls and backslashes, so what was checked would not be what is dialled.
 */
const REWRITTEN = /[^!-~\u0080-\uffff]|\\/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const HEADER_VALUE = /^[\t -~\u0080-\u00ff]*$/;
/** Owned by HTTP itself or by Tidegate (RFC 9110 §7.6.1, Standard Webhooks, the idempotency draft). */
const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'te',
  'trailer',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'idempotency-key',
]);
const FORBIDDEN_PREFIXES = ['proxy-', 'webhook-'];

/**
 * Checks what an agent hands over before it is stored. Reports every bad field once. Source of the rules: DESIGN §8.
 */
export function validateCallback(request: CallbackRequest): CallbackValidation {
  const errors: CallbackError[] = [];
  const report = (field: CallbackField, problem: CallbackProblem | null) => {
    if (problem !== null) errors.push({ field, problem });
  };
  report('url', checkUrl(request.url));
  report('method', METHODS.has(request.method) ? null : 'not_allowed');
  report('headers', checkHeaders(request.headers));
  report('body', checkBody(request.method, request.body));
  if (request.status !== undefined) {
    report('status.url', checkUrl(request.status.url));
    report('status.headers', checkHeaders(request.status.headers ?? {}));
  }
  return errors.length > 0 ? { ok: false, errors } : { ok: true, origin: new URL(request.url).origin };
}

function checkUrl(text: string): CallbackProblem | null {
  if (text.length > MAX_URL_LENGTH) return 'too_long';
  if (REWRITTEN.test(text)) return 'malformed';
  const authority = HTTP_URL.exec(text)?.[1];
  if (authority === undefined) return OTHER_SCHEME.test(text) && !/^https?:/i.test(text) ? 'scheme' : 'malformed';
  if (authority.includes('@')) return 'userinfo';
  return URL.canParse(text) ? null : 'malformed';
}

function checkHeaders(headers: Readonly<Record<string, string>>): CallbackProblem | null {
  const entries = Object.entries(headers);
  if (entries.length > MAX_HEADERS) return 'too_many';
  const seen = new Set<string>();
  let bytes = 0;
  for (const [name, value] of entries) {
    if (!TOKEN.test(name)) return 'malformed_name';
    const lower = name.toLowerCase();
    if (FORBIDDEN_NAMES.has(lower) || FORBIDDEN_PREFIXES.some((prefix) => lower.startsWith(prefix))) {
      return 'forbidden_name';
    }
    if (seen.has(lower)) return 'repeated_name';
    seen.add(lower);
    if (!HEADER_VALUE.test(value)) return 'malformed_value';
    bytes += name.length + value.length;
  }
  return bytes > MAX_HEADER_BYTES ? 'too_large' : null;
}

function checkBody(method: string, body: string | Uint8Array | null): CallbackProblem | null {
  if (body === null || body.length === 0) return null;
  if (method === 'GET') return 'not_allowed';
  return byteLength(body) > MAX_BODY_BYTES ? 'too_large' : null;
}

function byteLength(body: string | Uint8Array): number {
  // UTF-8 is at least one byte per UTF-16 unit, so most oversized text needs no encoding.
  if (typeof body !== 'string' || body.length > MAX_BODY_BYTES) return body.length;
  return new TextEncoder().encode(body).length;
}
