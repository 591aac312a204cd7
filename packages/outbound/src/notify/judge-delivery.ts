import type { ExchangeResult } from '../http/exchange.ts';
import { readRetryAfter } from '../http/retry-after.ts';
import type { HttpTarget, NotifyOutcome } from './notify-target.ts';

type Judged = NotifyOutcome extends infer O
  ? O extends NotifyOutcome
    ? Omit<O, 'latencyMs' | 'scrubbed'>
    : never
  : never;

/** What a service documents as its answer to a message it took; any 2xx of a webhook of one's own. */
const ACCEPTED: Readonly<Record<HttpTarget['type'], readonly number[] | null>> = {
  webhook: null,
  slack: [200],
  discord: [200, 204],
  pagerduty: [202],
  alertmanager: [200],
  ntfy: [200],
};
/** Answers after which the request was certainly not carried out, and may be later. */
const NOT_NOW = new Set([425, 429, 503]);
const UNSURE = new Set([408, 500, 502, 504]);
/** PagerDuty sends no Retry-After, and asks for a few minutes. */
const PAGERDUTY_PAUSE_MS = 120_000;
const LONGEST_PAUSE_MS = 86_400_000;

/** What an answer means. A redirect is none: it could lead anywhere, so it is not followed and not accepted. */
export function judgeDelivery(type: HttpTarget['type'], result: ExchangeResult, nowMs: number): Judged {
  if (result.kind === 'not_sent') return again(result.reason, null, false, null);
  if (result.kind === 'unanswered') return again(result.reason, null, true, null);
  const { status } = result;
  const accepted = ACCEPTED[type];
  if (status >= 200 && status < 300) {
    // A page of some proxy in between also answers 200.
    if (accepted === null || accepted.includes(status)) return { result: 'delivered', status, reason: 'answered' };
    return again('unexpected_status', status, true, null);
  }
  if (NOT_NOW.has(status) || UNSURE.has(status) || status >= 500) {
    return again(
      status === 429 ? 'rate_limited' : 'server_error',
      status,
      !NOT_NOW.has(status),
      waitOf(type, result, nowMs),
    );
  }
  return { result: 'refused', status, reason: refusalOf(status) };
}

function again(reason: string, status: number | null, reached: boolean, retryAfterMs: number | null): Judged {
  return { result: 'retry', status, reason, reached, retryAfterMs };
}

function refusalOf(status: number): string {
  if (status >= 300 && status < 400) return 'redirected';
  if (status === 401 || status === 403) return 'unauthorized';
  return status === 404 || status === 410 ? 'gone' : 'rejected';
}

/** How long the answer asks us to wait: its header, in seconds or as a date, or what Discord says in the body. */
function waitOf(
  type: HttpTarget['type'],
  result: Extract<ExchangeResult, { kind: 'answered' }>,
  nowMs: number,
): number | null {
  const header = readRetryAfter(result.headers, nowMs);
  const inBody = type === 'discord' && result.status === 429 ? readDiscordWait(result.body) : null;
  if (header !== null || inBody !== null) return Math.max(header ?? 0, inBody ?? 0);
  return type === 'pagerduty' && result.status === 429 ? PAGERDUTY_PAUSE_MS : null;
}

/** `retry_after` in seconds, with a fraction. */
function readDiscordWait(body: Buffer): number | null {
  try {
    const { retry_after: seconds } = JSON.parse(body.toString('utf8')) as { retry_after?: unknown };
    if (typeof seconds !== 'number' || !(seconds >= 0)) return null;
    return Math.min(Math.ceil(seconds * 1000), LONGEST_PAUSE_MS);
  } catch {
    return null;
  }
}
