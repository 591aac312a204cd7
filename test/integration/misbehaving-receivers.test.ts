import { createAddressGuard, createCallbackSender } from '@tidegate/outbound';
import { type CallbackReceiver, startCallbackReceiver } from '@tidegate/simulator';
import { type CallbackDetail, createCallback, readCallback } from '@tidegate/store';
import { lookupHash, newId } from '@tidegate/vault';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyConfig } from '../../apps/worker/src/apply-config.ts';
import { createCircuits } from '../../apps/worker/src/release/create-circuits.ts';
import { createFinisher, type Finisher } from '../../apps/worker/src/release/create-finisher.ts';
import { releaseRoom } from '../../apps/worker/src/release/release-room.ts';
import type { WorkerContext } from '../../apps/worker/src/worker-context.ts';
import { makeReleaseRoom } from '../support/make-release-room.ts';
import { makeWorkerContext, plainService } from '../support/make-worker-context.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

type Behaviour = Parameters<CallbackReceiver['behaveNext']>[0];

/** Instead of the thirty seconds that the room gives an attempt. */
const TIMEOUT_MS = 400;
const RETRY = { attempts: 8, baseDelayMs: 20, maxDelayMs: 50, maxElapsedMs: 60_000 };

let database: TestDatabase;
let context: WorkerContext;
let receiver: CallbackReceiver;
const closing: (() => Promise<unknown>)[] = [];
let keys = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  // What it commits counts each time: it does not deduplicate, so a repeat that should not have been sent shows.
  receiver = await startCallbackReceiver();
  const made = await makeWorkerContext({
    databaseUrl: database.url,
    localtonet: null,
    services: [plainService('agent', null, '298487')],
    policy: { release: { canary: 1, maxPerSecond: 100, retry: RETRY } },
  });
  const sender = createCallbackSender({ guard: createAddressGuard({ allowPrivate: ['127.0.0.1/32'], denied: [] }) });
  const send: WorkerContext['callbacks']['send'] = (request) => sender.send({ ...request, timeoutMs: TIMEOUT_MS });
  context = { ...made.context, callbacks: { send, close: sender.close } };
  closing.push(receiver.close, sender.close, made.close, database.drop);
  await applyConfig(context, made.dataDir);
  await context.sql`update gate set state = 'open', reason = 'verified'`;
});
afterAll(async () => {
  for (const close of closing) await close();
});
beforeEach(async () => {
  await context.sql`truncate callback, attempt, ramp, circuit`;
});

interface Handed {
  readonly repeat: 'deduplicated' | 'forbidden';
  /** How long "not found" proves nothing; null when the outcome cannot be asked for. */
  readonly settleAfterMs?: number | null;
  readonly finisher?: Finisher;
}

/** Hands a callback over to a receiver that misbehaves once, and works until it has ended. */
async function play(behaviour: Behaviour, { repeat, settleAfterMs = null, finisher }: Handed) {
  const { sql, sealer, keyring } = context;
  await sealer.ready();
  keys += 1;
  const key = `order-${keys}`;
  const row = newId('cb');
  const contract = { url: receiver.statusUrl(key), headers: {}, complete: { status: 200 }, notFound: { status: 404 } };
  const sealed = sealer.seal(JSON.stringify(contract), { row, purpose: 'callback-status' });
  receiver.behaveNext(behaviour);
  await createCallback(sql, {
    id: row,
    service: 'agent',
    keyHash: lookupHash(keyring, 'idempotency-key', key),
    payloadHash: lookupHash(keyring, 'payload', key),
    method: 'POST',
    origin: receiver.url,
    safety: 'unsafe',
    repeat,
    sealedUrl: sealer.seal(`${receiver.url}/orders`, { row, purpose: 'callback-url' }),
    sealedHeaders: sealer.seal('{}', { row, purpose: 'callback-headers' }),
    sealedBody: sealer.seal('x'.repeat(200_000), { row, purpose: 'callback-body' }),
    sealedIdempotencyKey: sealer.seal(key, { row, purpose: 'callback-idempotency-key' }),
    deadlineAt: null,
    orderingHash: null,
    status: settleAfterMs === null ? null : { sealed, settleAfterMs },
    passesHeld: false,
  });
  const detail = await work(row, finisher);
  const requests = receiver.requests.filter(({ idempotencyKey }) => idempotencyKey === key);
  return {
    state: detail.state,
    reason: detail.reason,
    phases: detail.tries.map(({ phase }) => phase),
    requests: requests.length,
    effects: receiver.effectsOf(key),
  };
}

async function work(id: string, finisher = createFinisher(context)): Promise<CallbackDetail> {
  // Its circuits of lookups open for milliseconds instead of seconds.
  const quick = createCircuits(() => performance.now() * 100);
  const { room, idle, stop } = makeReleaseRoom(context, finisher, quick);
  return until(
    'the callback has ended',
    async () => {
      await releaseRoom(room);
      await idle();
      return await readCallback(context.sql, id, null);
    },
    (found): found is CallbackDetail => ['delivered', 'needs_review', 'failed'].includes(found?.state ?? ''),
  ).finally(stop) as Promise<CallbackDetail>;
}

const MISBEHAVIOURS: readonly (readonly [string, Behaviour, 'maybe_received' | 'answered', number])[] = [
  ['commits and then drops the connection', { kind: 'commit_then_drop' }, 'maybe_received', 1],
  ['answers after the timeout', { kind: 'commit_then_answer_late', afterMs: 2000 }, 'maybe_received', 1],
  ['resets before reading', { kind: 'reset_before_reading' }, 'maybe_received', 0],
  ['answers 500 after committing', { kind: 'commit_then_fail' }, 'answered', 1],
];

describe.each(MISBEHAVIOURS)('a receiver that %s', (_name, behaviour, phase, committed) => {
  it(verifies('I7', 'is sent the same key again where it promises to deduplicate'), async () => {
    expect(await play(behaviour, { repeat: 'deduplicated' })).toMatchObject({
      state: 'delivered',
      phases: [phase, 'answered'],
      requests: 2,
      effects: committed + 1,
    });
  });

  it(verifies('I7', 'is sent nothing more where a repeat is forbidden: a person decides'), async () => {
    expect(await play(behaviour, { repeat: 'forbidden' })).toEqual({
      state: 'needs_review',
      reason: phase === 'answered' ? 'server_error' : 'outcome_unknown',
      phases: [phase],
      requests: 1,
      effects: committed,
    });
  });

  it(verifies('I7', 'is asked what happened where that is possible, and sent again only if nothing did'), async () => {
    const ended = await play(behaviour, { repeat: 'forbidden', settleAfterMs: 300 });
    expect(ended).toMatchObject({ state: 'delivered', requests: committed === 1 ? 1 : 2, effects: 1 });
  });
});

it(verifies('I12', 'an answer that the database did not take at first is told again, not sent again'), async () => {
  const real = createFinisher(context);
  let refused = 0;
  const finish: Finisher['finish'] = (end) => {
    refused += 1;
    return refused <= 2 ? Promise.reject(new Error('the database is away')) : real.finish(end);
  };
  const ended = await play({ kind: 'answer' }, { repeat: 'forbidden', finisher: { finish } });
  expect(ended).toMatchObject({ state: 'delivered', phases: ['answered'], requests: 1, effects: 1 });
  expect(refused).toBe(3);
});

it(verifies('I7', 'a status page that cannot be reached proves nothing'), async () => {
  receiver.setBehaviourFor(`/status/order-${keys + 1}`, { kind: 'answer', status: 503 });
  const ended = await play({ kind: 'reset_before_reading' }, { repeat: 'forbidden', settleAfterMs: 0 });
  expect(ended).toMatchObject({ state: 'needs_review', reason: 'status_unknown', requests: 1, effects: 0 });
  expect(receiver.lookups.filter(({ idempotencyKey }) => idempotencyKey === `order-${keys}`)).toHaveLength(
    RETRY.attempts,
  );
});
