import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ReceivedBody, readBody } from '../listener/read-body.ts';
import { startListener } from '../listener/start-listener.ts';
import { createLifetime } from '../wait-ms.ts';
import { type Behaviour, BehaviourPlan } from './behaviour.ts';
import { CallbackLedger, type CallbackRequest } from './callback-ledger.ts';
import { answer, showBehaviour } from './show-behaviour.ts';

export interface CallbackReceiverOptions {
  /** 0 or absent = any. */
  readonly port?: number;
  /**
   * True: a repeat under a known Idempotency-Key has no second effect, as a destination that deduplicates promises.
   * False (default): every commit counts, so that a repeat that should not have been sent shows.
   */
  readonly deduplicates?: boolean;
}

/** The destination of an agent's callbacks: records what arrives, and misbehaves as told. */
export interface CallbackReceiver {
  readonly port: number;
  /** No trailing slash; every path and method is a callback, except GET `/status/…`. */
  readonly url: string;
  /** Callbacks in the order their bodies ended; status lookups are in `lookups`. */
  readonly requests: readonly CallbackRequest[];
  readonly lookups: readonly CallbackRequest[];
  /** Committed effects per Idempotency-Key; '' counts those without a key. */
  readonly effects: ReadonlyMap<string, number>;
  effectsOf(idempotencyKey: string): number;
  readonly peakInFlight: number;
  /** A page for status lookups: 200 `{"state":"complete"}` once the key has an effect, else 404 `{"state":"not_found"}`. */
  statusUrl(idempotencyKey: string): string;
  /** For every callback without a more special behaviour; at first 200 and committed. */
  setBehaviour(behaviour: Behaviour): void;
  /** For one path (without query), status pages included; null forgets it. */
  setBehaviourFor(path: string, behaviour: Behaviour | null): void;
  /** For the next `times` callbacks on any path; queues behind earlier ones. */
  behaveNext(behaviour: Behaviour, times?: number): void;
  /** Resolves to all callbacks once there are `count`. Rejects with `SimulatorError` `wait_timed_out` or `closed`. */
  waitForRequests(count: number, timeoutMs: number): Promise<readonly CallbackRequest[]>;
  /** Resolves once `condition` holds; it is looked at when a request was read or an effect committed. */
  waitFor(condition: (receiver: CallbackReceiver) => boolean, timeoutMs: number): Promise<void>;
  /** Connections are refused until `start()`, on the same port; what was recorded stays. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

const STATUS_PREFIX = '/status/';

/** Starts a receiver on 127.0.0.1. Throws `SimulatorError` `port_in_use` when the wanted port is taken. */
export async function startCallbackReceiver(options: CallbackReceiverOptions = {}): Promise<CallbackReceiver> {
  const ledger = new CallbackLedger(options.deduplicates ?? false);
  const plan = new BehaviourPlan();
  const lifetime = createLifetime();
  const listener = await startListener(
    (request, response) => receive(request, response, { ledger, plan, closing: lifetime.signal }),
    options.port,
  );

  const receiver: CallbackReceiver = {
    port: listener.port,
    url: listener.url,
    requests: ledger.requests,
    lookups: ledger.lookups,
    effects: ledger.effects,
    effectsOf: (key) => ledger.effects.get(key) ?? 0,
    get peakInFlight() {
      return listener.peakInFlight;
    },
    statusUrl: (key) => `${listener.url}${STATUS_PREFIX}${encodeURIComponent(key)}`,
    setBehaviour: (behaviour) => plan.setDefault(behaviour),
    setBehaviourFor: (path, behaviour) => plan.setForPath(path, behaviour),
    behaveNext: (behaviour, times = 1) => plan.addNext(behaviour, times),
    waitForRequests: async (count, timeoutMs) => {
      const describe = () => `Only ${ledger.requests.length} of ${count} callbacks arrived`;
      await ledger.waiters.wait(() => ledger.requests.length >= count, timeoutMs, describe);
      return ledger.requests;
    },
    waitFor: (condition, timeoutMs) =>
      ledger.waiters.wait(
        () => condition(receiver),
        timeoutMs,
        () => 'The awaited condition did not come about',
      ),
    stop: listener.stop,
    start: listener.start,
    close: async () => {
      lifetime.abort();
      ledger.waiters.close();
      await listener.stop();
    },
  };
  return receiver;
}

interface Reception {
  readonly ledger: CallbackLedger;
  readonly plan: BehaviourPlan;
  readonly closing: AbortSignal;
}

async function receive(request: IncomingMessage, response: ServerResponse, { ledger, plan, closing }: Reception) {
  const atMs = Date.now();
  const path = new URL(request.url ?? '/', 'http://receiver').pathname;
  const lookedUpKey = request.method === 'GET' && path.startsWith(STATUS_PREFIX) ? keyOf(path) : null;
  const behaviour = lookedUpKey === null ? plan.take(path) : plan.forPath(path);
  const resets = behaviour?.kind === 'reset_before_reading';
  const body: ReceivedBody = resets ? { bytes: Buffer.alloc(0), complete: false } : await readBody(request);
  const entry = ledger.record(request, { atMs, body, behaviour: behaviour?.kind ?? 'status', lookedUpKey });

  if (resets) request.socket.resetAndDestroy();
  else if (!body.complete) response.destroy();
  else if (behaviour) {
    const commit = () => lookedUpKey === null && ledger.commit(entry);
    await showBehaviour(behaviour, { response, commit, closing });
  } else {
    const complete = ledger.effects.has(lookedUpKey ?? '');
    answer(response, complete ? 200 : 404, { body: JSON.stringify({ state: complete ? 'complete' : 'not_found' }) });
  }
}

function keyOf(statusPath: string): string {
  const written = statusPath.slice(STATUS_PREFIX.length);
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
