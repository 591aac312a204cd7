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
/** Answers that find fault with the words: the same ones would be refused again. */
const REFUSED = new Set([400, 413, 415, 422]);
/** Answers of a request that may have been carried out all the same. */
const UNSURE = new Set([408, 500, 502, 504]);
/** PagerDuty sends no Retry-After, and asks for a few minutes. */
const PAGERDUTY_PAUSE_MS = 120_000;
/** Asked again after this, however long an answer wants to be left alone: to ask does no harm, a night without a page does. */
const LONGEST_PAUSE_MS = 900_000;

/**
 * What an answer means. A redirect is none: it could lead anywhere, so it is not followed and not accepted. A wrong credential
 * or path is tried again as an outage is: a person mends it, and what happened meanwhile should be told then.
 */
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
  if (type === 'pagerduty' && status === 400 && namesKey(result.body))
    return again('unauthorized', status, false, null);
  if (REFUSED.has(status)) return { result: 'refused', status, reason: 'rejected' };
  const reached = UNSURE.has(status) || (status >= 500 && status !== 503);
  return again(reasonOf(status), status, reached, waitOf(type, result, nowMs));
}

function again(reason: string, status: number | null, reached: boolean, retryAfterMs: number | null): Judged {
  return { result: 'retry', status, reason, reached, retryAfterMs };
}

/** PagerDuty answers a wrong routing key as it does a malformed event, and says which it was. */
function namesKey(body: Buffer): boolean {
  return /routing.key/i.test(body.toString('utf8'));
}

function reasonOf(status: number): string {
  if (status === 429) return 'rate_limited';
  if (status >= 500 || status === 408 || status === 425) return 'server_error';
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
  if (header !== null || inBody !== null) return Math.min(Math.max(header ?? 0, inBody ?? 0), LONGEST_PAUSE_MS);
  return type === 'pagerduty' && result.status === 429 ? PAGERDUTY_PAUSE_MS : null;
}

/** `retry_after` in seconds, with a fraction. */
function readDiscordWait(body: Buffer): number | null {
  try {
    const { retry_after: seconds } = JSON.parse(body.toString('utf8')) as { retry_after?: unknown };
    return typeof seconds === 'number' && seconds >= 0 ? Math.ceil(seconds * 1000) : null;
  } catch {
    return null;
  }
}
