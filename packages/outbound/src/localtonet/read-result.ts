import type { ExchangeResult } from '../http/exchange.ts';
import { readRetryAfter } from '../http/retry-after.ts';

/** Why API v2 gave no usable answer. */
export type LocaltonetFailure =
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'rate_limited'
  | 'server_error'
  | 'timeout'
  | 'unreachable'
  | 'address_denied'
  | 'malformed';

export type LocaltonetResult<T> =
  | { readonly ok: true; readonly value: T; readonly skipped: number; readonly latencyMs: number }
  | {
      readonly ok: false;
      readonly reason: LocaltonetFailure;
      /** Milliseconds the service asks us to wait, where it said so. */
      readonly retryAfterMs?: number;
      readonly latencyMs: number;
    };

/** Null when the body is not what was asked for. */
export type Parse<T> = (body: unknown) => T | null;

/** Names what came of one request; `parse` reads the JSON of a 2xx answer. Pure, and never throws. */
export function readResult<T>(result: ExchangeResult, parse: Parse<T>, nowMs: number): LocaltonetResult<T> {
  const { latencyMs } = result;
  if (result.kind !== 'answered') return { ok: false, reason: nameSilence(result.reason), latencyMs };
  const { status, headers, ending } = result;
  if (status < 200 || status > 299) {
    const retryAfterMs = readRetryAfter(headers, nowMs);
    return { ok: false, reason: nameStatus(status), latencyMs, ...(retryAfterMs === null ? {} : { retryAfterMs }) };
  }
  if (ending === 'timeout' || ending === 'aborted') return { ok: false, reason: 'timeout', latencyMs };
  if (ending === 'reset') return { ok: false, reason: 'unreachable', latencyMs };
  const value = ending === 'complete' ? parse(readJson(result.body)) : null;
  if (value === null) return { ok: false, reason: 'malformed', latencyMs };
  return { ok: true, value, skipped: 0, latencyMs };
}

/** Undefined, which no parser accepts, when the text is not JSON; the error itself would quote the answer. */
function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}

function nameStatus(status: number): LocaltonetFailure {
  if (status === 401) return 'unauthorized';
  if (status === 403) return 'forbidden';
  if (status === 404) return 'not_found';
  if (status === 408) return 'timeout';
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'server_error' : 'malformed';
}

function nameSilence(reason: Exclude<ExchangeResult, { kind: 'answered' }>['reason']): LocaltonetFailure {
  switch (reason) {
    case 'address_denied':
    case 'malformed':
    case 'timeout':
      return reason;
    case 'aborted':
    case 'lease_expired':
    case 'gate_held':
    case 'deadline_passed':
      return 'timeout';
    case 'invalid_request':
      return 'malformed';
    case 'dns':
    case 'refused':
    case 'unreachable':
    case 'reset':
    case 'tls':
      return 'unreachable';
  }
}
