import type { IncomingHttpHeaders } from 'node:http';
import { parseRetryAfter } from '@tidegate/core';
import { firstHeader } from './headers.ts';

/** A day: a longer wait is a mistake or a way to silence us. */
const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * How long an answer asks us to wait, in milliseconds, 0 to one day; null when it does not say. Pure. A date is measured
 * from the answer's own `Date`, so that two clocks are not compared; `nowMs` stands in where that header is missing.
 */
export function readRetryAfter(headers: IncomingHttpHeaders, nowMs: number): number | null {
  const sentAtMs = Date.parse(firstHeader(headers, 'date') ?? '');
  const waitMs = parseRetryAfter(firstHeader(headers, 'retry-after'), Number.isNaN(sentAtMs) ? nowMs : sentAtMs);
  return waitMs === null ? null : Math.min(waitMs, MAX_RETRY_AFTER_MS);
}
