import { isUtf8 } from 'node:buffer';
import { validateCallback, type Withheld } from '@tidegate/core';
import type { AddressGuard } from '../guard/address-guard.ts';
import type { Interruption } from '../http/converse.ts';
import { createExchanger, type ExchangeResult, type NotSentReason } from '../http/exchange.ts';
import type { HeaderList } from '../http/headers.ts';
import { readRetryAfter } from '../http/retry-after.ts';
import { buildCallbackHeaders, type CallbackIdentity } from './callback-headers.ts';

export interface SendRequest extends CallbackIdentity {
  readonly url: string;
  readonly method: string;
  readonly headers: HeaderList;
  /** UTF-8 text; null sends none. */
  readonly body: string | Buffer | null;
  /** Milliseconds for the whole attempt. */
  readonly timeoutMs: number;
  /** Asked once the connection stands, before `leaseDeadline`: why nothing may be sent after all; null for no reason. */
  readonly admit?: () => Promise<Withheld | null>;
  /** True once the lease of this attempt has run out. Asked in the same tick as the first byte would be written. */
  readonly leaseDeadline: () => boolean;
  readonly signal?: AbortSignal;
}

/**
 * How far one attempt got. `not_sent`: no byte of the request was written, a repeat is harmless. `maybe_received`: some
 * may have arrived and no answer came. `answered`: the destination answered with `status`.
 */
export type SendOutcome = { readonly latencyMs: number } & (
  | { readonly phase: 'not_sent'; readonly reason: NotSentReason }
  | { readonly phase: 'maybe_received'; readonly reason: Interruption }
  | {
      readonly phase: 'answered';
      readonly reason: 'answered';
      readonly status: number;
      /** Milliseconds, 0 to one day, where the destination said so. */
      readonly retryAfterMs?: number;
    }
);

export interface CallbackSender {
  /** Makes one attempt over a connection of its own. Follows no redirect, repeats nothing, never rejects. */
  send(request: SendRequest): Promise<SendOutcome>;
  /** Aborts running attempts and closes their sockets; their outcome says how far they got. */
  close(): Promise<void>;
}

/** The answer's body is read only so that the destination can finish writing it, and thrown away. */
const MAX_DRAINED_BYTES = 64 * 1024;

/** Has no UTF-8 form: the bytes sent would not be the text that was signed. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Makes the sender behind the release room (DESIGN §8). `now` is the wall clock of `webhook-timestamp`. */
export function createCallbackSender({
  guard,
  now = Date.now,
}: {
  readonly guard: AddressGuard;
  readonly now?: () => number;
}): CallbackSender {
  const exchanger = createExchanger(guard);

  async function send(request: SendRequest): Promise<SendOutcome> {
    const body = readBody(request.body);
    const headers = body === null ? null : buildCallbackHeaders(request.headers, request, body, new Date(now()));
    // Checked when it was accepted, too; here a row that was tampered with or restored ends before any socket.
    if (body === null || headers === null || !validateCallback({ ...request, body }).ok) {
      return { phase: 'not_sent', reason: 'invalid_request', latencyMs: 0 };
    }
    const result = await exchanger.exchange({
      url: request.url,
      method: request.method,
      headers,
      body: body === '' ? null : Buffer.from(body, 'utf8'),
      maxBodyBytes: MAX_DRAINED_BYTES,
      timeoutMs: request.timeoutMs,
      signal: request.signal,
      admit: request.admit,
      mayWrite: () => !request.leaseDeadline(),
    });
    return describe(result, now());
  }

  return { send, close: exchanger.close };
}

/** The body as text, so that what is signed and what is sent are the same bytes; null when it is not UTF-8. */
function readBody(body: string | Buffer | null): string | null {
  if (body === null) return '';
  if (typeof body === 'string') return LONE_SURROGATE.test(body) ? null : body;
  return isUtf8(body) ? body.toString('utf8') : null;
}

function describe(result: ExchangeResult, nowMs: number): SendOutcome {
  const { latencyMs } = result;
  switch (result.kind) {
    case 'not_sent':
      return { phase: 'not_sent', reason: result.reason, latencyMs };
    case 'unanswered':
      return { phase: 'maybe_received', reason: result.reason, latencyMs };
    case 'answered': {
      const retryAfterMs = readRetryAfter(result.headers, nowMs);
      const wait = retryAfterMs === null ? {} : { retryAfterMs };
      return { phase: 'answered', reason: 'answered', status: result.status, latencyMs, ...wait };
    }
  }
}
