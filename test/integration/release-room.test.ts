import { createAddressGuard, createCallbackSender, createStatusClient } from '@tidegate/outbound';
import { type CallbackReceiver, startCallbackReceiver } from '@tidegate/simulator';
import { connect, readCallback, reconcileOpenGates, type Sql } from '@tidegate/store';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyConfig } from '../../apps/worker/src/apply-config.ts';
import { createCircuits } from '../../apps/worker/src/release/create-circuits.ts';
import { createFinisher } from '../../apps/worker/src/release/create-finisher.ts';
import { releaseRoom } from '../../apps/worker/src/release/release-room.ts';
import type { WorkerContext } from '../../apps/worker/src/worker-context.ts';
import { makeSelfSigned } from '../../packages/outbound/test/self-signed.ts';
import { handSealed } from '../support/hand-sealed.ts';
import { makeReleaseRoom, type PlantedRoom } from '../support/make-release-room.ts';
import { makeWorkerContext, plainService } from '../support/make-worker-context.ts';
import { type HeldTls, startHeldTls } from '../support/start-held-tls.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

/** Longer than any test: what hangs is not let go by a timeout. */
const FOR_EVER_MS = 3_600_000;
const RETRY = { attempts: 8, baseDelayMs: 20, maxDelayMs: 50, maxElapsedMs: 60_000 };

const certificate = makeSelfSigned('localhost');
let database: TestDatabase;
let context: WorkerContext;
let admin: Sql;
let worker: PlantedRoom;
/** Ends what hangs. */
let hangUp: () => Promise<unknown>;
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  admin = connect(database.url, { application: 'admin', connections: 2 });
  const made = await makeWorkerContext({
    databaseUrl: database.url,
    localtonet: null,
    services: [plainService('agent', null, '298487'), plainService('other', null, '298488')],
    policy: { release: { canary: 1, maxPerSecond: 100, retry: RETRY } },
  });
  context = made.context;
  closing.push(() => admin.end(), made.close, database.drop);
  await applyConfig(context, made.dataDir);
});
afterAll(async () => {
  for (const close of closing) await close();
});
beforeEach(async () => {
  await admin`truncate callback, attempt, ramp, circuit, reconciliation, reconciliation_item, receiver`;
  await admin`update gate set state = 'open', reason = 'verified', hand = null, hand_actor = null, hand_reason = null, hand_expires_at = null`;
  const allowPrivate = ['127.0.0.1/32', '::1/128'];
  const guard = createAddressGuard({ allowPrivate, denied: [], extraCa: certificate.cert });
  const [callbacks, statuses] = [createCallbackSender({ guard }), createStatusClient({ guard })];
  context = {
    ...context,
    callbacks: { ...callbacks, send: (request) => callbacks.send({ ...request, timeoutMs: FOR_EVER_MS }) },
    statuses: { ...statuses, lookUp: (contract) => statuses.lookUp(contract, FOR_EVER_MS) },
  };
  hangUp = () => Promise.all([callbacks.close(), statuses.close()]);
  worker = makeReleaseRoom(context);
});
afterEach(async () => {
  await hangUp();
  await worker.idle();
  await worker.stop();
});

const detailOf = async (id: string) => {
  const detail = await readCallback(context.sql, id, null);
  return [detail?.state, ...(detail?.tries ?? []).map(({ phase, reason }) => `${phase} ${reason}`)];
};

describe(verifies('I7', 'a connection that stands before its first byte'), () => {
  let tls: HeldTls;
  beforeEach(async () => {
    tls = await startHeldTls(certificate);
  });
  afterEach(() => tls.close());

  /** Begins one, changes what its first byte depends on while its handshake waits, and lets the handshake go on. */
  async function sendLate(change: (id: string) => Promise<unknown>, more: { passesHeld?: boolean } = {}) {
    const safety = more.passesHeld === true ? 'safe' : 'unsafe';
    const { id, key } = await handSealed(context, { url: `${tls.url}/late`, safety, ...more });
    await releaseRoom(worker.room);
    await until('it stands connected', tls.connections, (count) => count === 1);
    await change(id);
    tls.release();
    await worker.idle();
    return { id, sent: tls.requests.includes(key), detail: await detailOf(id) };
  }
  const shut = () => admin`update gate set state = 'held', reason = 'disconnected', generation = generation + 1`;
  const order = (hand: 'held' | 'open') => admin`
    update gate set state = ${hand}, hand = ${hand}, reason = ${hand === 'held' ? 'held_by_hand' : 'forced_open'}, hand_actor = 'a',
      hand_reason = 'r', hand_expires_at = clock_timestamp() + interval '1 hour', generation = generation + 1`;

  it('writes it while the gate stands as it was', async () => {
    const { sent, detail } = await sendLate(async () => undefined);
    expect([sent, ...detail]).toEqual([true, 'delivered', 'answered answered']);
  });

  it('writes none once the gate was cut, and is held', async () => {
    const { id, sent, detail } = await sendLate(shut);
    expect([sent, ...detail]).toEqual([false, 'retrying', 'not_sent gate_held']);
    await until(
      'it is held',
      async () => {
        await releaseRoom(worker.room);
        return detailOf(id);
      },
      ([state]) => state === 'held',
    );
    expect(tls.requests).toEqual([]);
  });

  it('writes none under a gate that was cut and is open again', async () => {
    const { sent, detail } = await sendLate(() => admin`update gate set generation = generation + 1`);
    expect([sent, ...detail]).toEqual([false, 'retrying', 'not_sent gate_held']);
  });

  it('writes none while a receiver is silent', async () => {
    const { sent, detail } = await sendLate(
      () => admin`insert into receiver (id, started_at, heartbeat_at) values ('r', clock_timestamp(), 'epoch')`,
    );
    expect([sent, ...detail]).toEqual([false, 'retrying', 'not_sent gate_held']);
  });

  it('writes none after its deadline, and expires', async () => {
    const { id, sent, detail } = await sendLate(
      (row) => admin`update callback set deadline_at = clock_timestamp() where id = ${row}`,
    );
    expect([sent, ...detail]).toEqual([false, 'retrying', 'not_sent deadline_passed']);
    await releaseRoom(worker.room);
    expect((await detailOf(id))[0]).toBe('expired');
  });

  it('writes none when somebody else ended its attempt', async () => {
    const { sent } = await sendLate(() => admin`update attempt set finished_at = clock_timestamp()`);
    expect(sent).toBe(false);
  });

  it('writes it where it was declared to pass a held gate, unless a person holds that', async () => {
    expect((await sendLate(shut, { passesHeld: true })).sent).toBe(true);
    await tls.close();
    tls = await startHeldTls(certificate);
    await admin`update gate set state = 'open', reason = 'verified'`;
    expect((await sendLate(() => order('held'), { passesHeld: true })).sent).toBe(false);
  });

  it('writes it where a person has forced the gate open meanwhile', async () => {
    expect((await sendLate(() => order('open'))).sent).toBe(true);
  });
});

describe('a destination that hangs', () => {
  const receivers: CallbackReceiver[] = [];
  const start = async () => {
    const receiver = await startCallbackReceiver();
    receivers.push(receiver);
    return receiver;
  };
  const hung = async () => {
    const receiver = await start();
    receiver.setBehaviour({ kind: 'hang' });
    return receiver;
  };
  afterEach(async () => {
    await hangUp();
    for (const receiver of receivers.splice(0)) await receiver.close();
  });

  /** Works as a worker does that is woken again and again, and waits for nothing that hangs. */
  const delivers = ({ id }: { id: string }) =>
    until(
      'the healthy one is delivered',
      async () => {
        await releaseRoom(worker.room);
        return detailOf(id);
      },
      ([state]) => state === 'delivered',
    );

  /** What was sent and never answered, and whose outcome can be asked for. */
  async function handUnknown(url: string, statusUrl: string): Promise<void> {
    const { id } = await handSealed(context, { url, statusUrl });
    await admin`update callback set state = 'ambiguous', attempts = 1, due_at = null, unknown_since = clock_timestamp() where id = ${id}`;
    await admin`
      insert into attempt (callback_id, number, generation, started_at, lease_until, finished_at, phase, reason)
      values (${id}, 1, 0, clock_timestamp(), clock_timestamp(), clock_timestamp(), 'maybe_received', 'reset')`;
  }

  it('holds up no other of the same service', async () => {
    const [slow, quick] = [await hung(), await start()];
    for (let index = 0; index < 10; index += 1) await handSealed(context, { url: `${slow.url}/x` });
    await releaseRoom(worker.room);
    await until(
      'it hangs',
      () => slow.requests.length,
      (count) => count > 0,
    );
    await delivers(await handSealed(context, { url: `${quick.url}/x` }));
    expect(slow.requests).toHaveLength(2);
  });

  it('holds up no other service, however many of them one service has', async () => {
    const quick = await start();
    for (let index = 0; index < 5; index += 1) {
      const slow = await hung();
      await handSealed(context, { url: `${slow.url}/x` });
      await handSealed(context, { url: `${slow.url}/x` });
    }
    await releaseRoom(worker.room);
    await delivers(await handSealed(context, { url: `${quick.url}/x`, service: 'other' }));
    expect(receivers.reduce((count, { requests }) => count + requests.length, 0)).toBe(3 + 1);
  });

  it('holds up no attempt when it is asked for a status', async () => {
    const [slow, quick] = [await hung(), await start()];
    slow.setBehaviourFor('/status/x', { kind: 'hang' });
    for (let index = 0; index < 12; index += 1) await handUnknown(`${slow.url}/x`, slow.statusUrl('x'));
    await reconcileOpenGates(context.sql);
    await releaseRoom(worker.room);
    await until(
      'it hangs',
      () => slow.lookups.length,
      (count) => count > 0,
    );
    await delivers(await handSealed(context, { url: `${quick.url}/x` }));
    expect(slow.lookups).toHaveLength(2);
  });

  it('nor the lookups of others, and is not asked on and on when it fails', async () => {
    const [broken, quick] = [await start(), await start()];
    broken.setBehaviourFor('/status/x', { kind: 'answer', status: 503 });
    for (let index = 0; index < 12; index += 1) await handUnknown(`${broken.url}/x`, broken.statusUrl('x'));
    await reconcileOpenGates(context.sql);
    // Its circuit never comes to the end of its time.
    const { room, idle, stop } = makeReleaseRoom(
      context,
      createFinisher(context),
      createCircuits(() => 0),
    );
    for (let round = 0; round < 12; round += 1) {
      await releaseRoom(room);
      await idle();
    }
    expect(broken.lookups).toHaveLength(6);
    await handUnknown(`${quick.url}/x`, quick.statusUrl('y'));
    await until(
      'the other is asked',
      async () => {
        await releaseRoom(room);
        return quick.lookups.length;
      },
      (count) => count > 0,
    );
    await idle();
    await stop();
    expect(broken.lookups).toHaveLength(6);
  });
});

it(verifies('I12', 'an answer that is known is not lost to a commit that failed'), async () => {
  const receiver = await startCallbackReceiver();
  const { id, key } = await handSealed(context, { url: `${receiver.url}/x` });
  const waiting = () => admin<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const real = createFinisher(context);
  let goOn = () => {};
  const locked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const { room, idle, stop, failures } = makeReleaseRoom(context, {
    finish: (end) => locked.then(() => real.finish(end)),
  });
  await releaseRoom(room);
  await admin.begin(async (tx) => {
    await tx`lock table ramp in access exclusive mode`;
    goOn();
    const [one] = await until('its end waits', waiting, (rows) => rows.length > 0);
    // As when Postgres is restarted: the commit is not even refused.
    await admin`select pg_terminate_backend(${one?.pid ?? 0})`;
    await until('it is gone', waiting, (rows) => rows.every(({ pid }) => pid !== one?.pid));
  });
  await idle();
  await stop();
  expect(await detailOf(id)).toEqual(['delivered', 'answered answered']);
  expect([receiver.effectsOf(key), failures]).toEqual([1, []]);
  await receiver.close();
});

it('an end that the database refuses for good is not told for ever', async () => {
  const receiver = await startCallbackReceiver();
  await handSealed(context, { url: `${receiver.url}/x` });
  let told = 0;
  const refusing = makeReleaseRoom(context, {
    finish() {
      told += 1;
      return Promise.reject(new Error('refused'));
    },
  });
  await releaseRoom(refusing.room);
  await refusing.idle();
  expect([told, refusing.failures.length]).toEqual([5, 1]);
  await refusing.stop();
  await receiver.close();
});
