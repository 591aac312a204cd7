import type { AddressGuard } from '../guard/address-guard.ts';
import { createExchanger } from '../http/exchange.ts';
import { firstHeader } from '../http/headers.ts';

/** What a server says the time is. */
export type RemoteClock =
  | {
      readonly ok: true;
      /** How far its clock is ahead of ours, in milliseconds. */
      readonly aheadMs: number;
      /** By how much that may be wrong: half of the way there and back, and of the whole seconds that a `Date` has. */
      readonly withinMs: number;
    }
  | { readonly ok: false; readonly reason: 'unreachable' | 'no_date' };

/**
 * Asks for the `Date` of an answer, whatever its status; the request names nobody. Never rejects.
 * @param options.now wall clock in milliseconds
 */
export async function readRemoteClock(options: {
  readonly url: string;
  readonly guard: AddressGuard;
  readonly timeoutMs: number;
  readonly now: () => number;
}): Promise<RemoteClock> {
  const { url, guard, timeoutMs, now } = options;
  const exchanger = createExchanger(guard);
  const askedAtMs = now();
  const answer = await exchanger.exchange({
    url,
    method: 'HEAD',
    headers: { 'user-agent': 'tidegate' },
    body: null,
    maxBodyBytes: 1024,
    timeoutMs,
  });
  const halfMs = (now() - askedAtMs) / 2;
  await exchanger.close();
  if (answer.kind !== 'answered') return { ok: false, reason: 'unreachable' };
  const dateMs = Date.parse(firstHeader(answer.headers, 'date') ?? '');
  // The header is cut off to a whole second: on average the server is half of one further.
  return Number.isNaN(dateMs)
    ? { ok: false, reason: 'no_date' }
    : { ok: true, aheadMs: Math.round(dateMs + 500 - askedAtMs - halfMs), withinMs: Math.ceil(halfMs) + 500 };
}
