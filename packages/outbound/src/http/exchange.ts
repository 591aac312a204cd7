import type { IncomingHttpHeaders } from 'node:http';
import type { Withheld } from '@tidegate/core';
import type { AddressGuard } from '../guard/address-guard.ts';
import { type Destination, parseDestination } from '../guard/destination.ts';
import { type Conversation, converse, type Interruption, type Message } from './converse.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { areSendable } from './headers.ts';
import { type ConnectFailure, openConnection } from './open-connection.ts';

export interface ExchangeRequest extends Omit<Message, 'mayWrite'> {
  readonly url: string;
  /** Milliseconds for everything, from the name lookup to the last byte of the body. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Asked once the connection stands: why nothing may be sent. One that rejects sends nothing, as when a lease is over. */
  readonly admit?: (() => Promise<Withheld | null>) | undefined;
  readonly mayWrite?: () => boolean;
}

export type NotSentReason = 'address_denied' | 'dns' | 'invalid_request' | Withheld | ConnectFailure | Interruption;

/** How one request went; `latencyMs` counts from the call. */
export type ExchangeResult = { readonly latencyMs: number } & (
  | { readonly kind: 'not_sent'; readonly reason: NotSentReason }
  | { readonly kind: 'unanswered'; readonly reason: Interruption }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
      readonly ending: 'complete' | 'cut' | Interruption;
    }
);

export interface Exchanger {
  /** Sends one request over a connection of its own. Never follows a redirect, never retries, never rejects. */
  exchange(request: ExchangeRequest): Promise<ExchangeResult>;
  /** Aborts what is in flight and resolves when its sockets are closed. */
  close(): Promise<void>;
}

/** The only way out of this package: guard, then connection, then conversation. */
export function createExchanger(guard: AddressGuard): Exchanger {
  const inFlight = new Map<Promise<ExchangeResult>, Deadline>();
  let closed = false;

  function exchange(request: ExchangeRequest): Promise<ExchangeResult> {
    const deadline = startDeadline(request.timeoutMs, request.signal);
    if (closed) deadline.abort();
    const running = run(guard, request, deadline).finally(() => {
      deadline.stop();
      inFlight.delete(running);
    });
    inFlight.set(running, deadline);
    return running;
  }

  async function close(): Promise<void> {
    closed = true;
    for (const deadline of inFlight.values()) deadline.abort();
    await Promise.all(inFlight.keys());
  }

  return { exchange, close };
}

async function run(guard: AddressGuard, request: ExchangeRequest, deadline: Deadline): Promise<ExchangeResult> {
  const startedAt = performance.now();
  const outcome = await attempt(guard, request, deadline);
  return { ...outcome, latencyMs: Math.round(performance.now() - startedAt) };
}

type Outcome = Conversation | { readonly kind: 'not_sent'; readonly reason: NotSentReason };

async function attempt(guard: AddressGuard, request: ExchangeRequest, deadline: Deadline): Promise<Outcome> {
  const parsed = parseDestination(request.url);
  if (!parsed.ok) return notSent(parsed.problem === 'not_a_url' ? 'invalid_request' : 'address_denied');
  if (!areSendable(request.headers)) return notSent('invalid_request');
  const opened = await open(guard, parsed.destination, deadline);
  if (!opened.ok) return notSent(opened.reason);
  const obstacle = await Promise.race([ask(request), deadline.hit]);
  if (obstacle !== null) {
    opened.socket.destroy();
    return notSent(obstacle);
  }
  return converse(opened.socket, parsed.destination, { mayWrite: () => true, ...request }, deadline);
}

async function open(guard: AddressGuard, destination: Destination, deadline: Deadline) {
  // A lookup cannot be cancelled; its late answer is dropped.
  const admission = await Promise.race([guard.admit(destination), deadline.hit]);
  if (typeof admission === 'string') return { ok: false, reason: admission } as const;
  if (!admission.ok) return { ok: false, reason: admission.reason } as const;
  return openConnection({ destination, addresses: admission.addresses, deadline, extraCa: guard.extraCa });
}

async function ask({ admit }: ExchangeRequest): Promise<Withheld | null> {
  if (admit === undefined) return null;
  return admit().catch(() => 'lease_expired');
}

function notSent(reason: NotSentReason): Outcome {
  return { kind: 'not_sent', reason };
}
