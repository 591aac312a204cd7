import { type AfterAttempt, type ReconciliationOutcome, statusContractSchema } from '@tidegate/core';
import {
  type ClaimedCallback,
  claimLookups,
  connect,
  finishLookup,
  listReconciliationItems,
  listReconciliations,
  type NewCallback,
  readCallback,
  readReconciliation,
  reconcileOpenGates,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, finish, hand } from '../support/plant-callbacks.ts';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification } from '../support/verify-service.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  planted = await plantService(sql, 'agent');
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await sql`truncate callback, attempt, ramp, circuit, reconciliation, reconciliation_item`;
  await sql`update gate set state = 'open', reason = 'verified', since = clock_timestamp()`;
});

const CONTRACT = statusContractSchema.parse({
  url: 'https://receiver.example/status',
  complete: { status: 200 },
  notFound: { status: 404 },
});
const STATUS = { sealed: Buffer.from(JSON.stringify(CONTRACT)), settleAfterMs: 30_000 };

const cut = () => deliver(sql, planted, { status: 'disconnected' });
const release = () => openByVerification(sql, planted.serviceId);
const stateOf = async (id: string) => (await readCallback(sql, id, null))?.state;

/** Hands one over, claims it alone, and ends its attempt so. */
async function attempted(
  ending: Parameters<typeof finish>[2],
  change: Partial<NewCallback> = {},
  next?: AfterAttempt,
): Promise<string> {
  const claimed = await begun(change);
  await finish(sql, claimed, ending, next === undefined ? {} : { next });
  return claimed.id;
}

async function begun(change: Partial<NewCallback> = {}): Promise<ClaimedCallback> {
  const id = await hand(sql, change);
  const claimed = (await claim(sql)).find((one) => one.id === id);
  if (claimed === undefined) throw new Error('not claimed');
  return claimed;
}

/** The newest run, and its entries by callback. */
async function lastRun() {
  const { items: runs } = await listReconciliations(sql, { service: null, services: null, cursor: null, limit: 100 });
  const [run] = runs;
  if (run === undefined) throw new Error('no run');
  const items = await listReconciliationItems(sql, run.id, null, 100);
  const entries = new Map(items.map((item) => [item.callback, `${item.outcome} ${item.reason} ${item.action}`]));
  return { run, runs, entries };
}

describe('the reconciliation of a release', () => {
  it('sorts what was held and in flight into complete, not started and ambiguous, each with its reason', async () => {
    const unknown = await attempted('unknown', { repeat: 'deduplicated' });
    const review = await attempted('lease_expired');
    const asked = await attempted('unknown', { status: STATUS });
    const refused = await attempted('not_sent', {}, { state: 'retrying', reason: 'not_sent', delayMs: 60_000 });
    const answered = await begun();
    const flying = await begun();
    await cut();
    await finish(sql, answered, 'delivered');
    const held = await hand(sql);
    await release();

    const { run, entries } = await lastRun();
    expect(entries).toEqual(
      new Map<string, `${ReconciliationOutcome} ${string}`>([
        [unknown, 'ambiguous outcome_unknown resend'],
        [review, 'ambiguous outcome_unknown review'],
        [asked, 'ambiguous outcome_unknown look_up'],
        [refused, 'not_started never_sent send'],
        [answered.id, 'complete answered close'],
        [flying.id, 'ambiguous in_flight wait'],
        [held, 'not_started never_attempted send'],
      ]),
    );
    expect(run).toMatchObject({ service: 'agent', trigger: 'release', complete: 1, notStarted: 2, ambiguous: 4 });
    const states = await Promise.all([unknown, review, asked, refused, answered.id, flying.id, held].map(stateOf));
    expect(states).toEqual(['retrying', 'needs_review', 'ambiguous', 'retrying', 'delivered', 'sending', 'queued']);
    expect(await readReconciliation(sql, run.id, ['agent'])).toEqual(run);
    expect(await readReconciliation(sql, run.id, ['other'])).toBeNull();
  });

  it('is written down for every release, also when nothing waited', async () => {
    for (let round = 1; round <= 3; round += 1) {
      await cut();
      await release();
      expect((await lastRun()).runs).toHaveLength(round);
    }
  });

  it(
    verifies('I7', 'comes before the release: nothing begins that is not in a run of the present generation'),
    async () => {
      for (let index = 0; index < 30; index += 1)
        await hand(sql, { repeat: index % 2 === 0 ? 'deduplicated' : 'forbidden' });
      for (let round = 0; round < 4; round += 1) {
        await cut();
        await release();
        for (const callback of await claim(sql, 5))
          await finish(sql, callback, round % 2 === 0 ? 'lease_expired' : 'delivered');
      }
      const early = await sql`
      select a.callback_id from attempt a where not exists (
        select 1 from reconciliation_item i join reconciliation r on r.id = i.reconciliation_id
        where i.callback_id = a.callback_id and r.generation = a.generation and i.decided_at <= a.started_at)`;
      expect(early).toEqual([]);
      expect(await sql`select count(*)::int as n from attempt`).toEqual([{ n: 20 }]);
    },
  );

  it(
    verifies('I7', 'is needed again after a generation: what was released under the one before becomes held'),
    async () => {
      const id = await hand(sql);
      await sql`update gate set generation = generation + 1`;
      expect(await claim(sql)).toEqual([]);
      expect(await stateOf(id)).toBe('held');
      expect(await reconcileOpenGates(sql)).toBe(1);
      expect((await claim(sql)).map((callback) => callback.id)).toEqual([id]);
    },
  );

  it('keeps the time of a planned retry', async () => {
    const claimed = await begun();
    await finish(sql, claimed, 'refused', { next: { state: 'retrying', reason: 'try_later', delayMs: 60_000 } });
    const before = (await readCallback(sql, claimed.id, null))?.dueAt;
    await cut();
    await release();
    expect((await readCallback(sql, claimed.id, null))?.dueAt).toEqual(before);
  });
});

describe('an attempt that ends ambiguous', () => {
  it('is reconciled at once while the gate is open', async () => {
    const resent = await attempted('unknown', { repeat: 'deduplicated' });
    const review = await attempted('server_error');
    expect(await stateOf(resent)).toBe('ambiguous');
    expect(await reconcileOpenGates(sql)).toBe(2);
    expect(await Promise.all([resent, review].map(stateOf))).toEqual(['retrying', 'needs_review']);
    const { run, entries } = await lastRun();
    expect(run.trigger).toBe('attempt');
    expect(entries.get(review)).toBe('ambiguous server_error review');
    expect((await claim(sql)).map((callback) => callback.id)).toEqual([resent]);
  });

  it('waits for the release while the gate is held', async () => {
    const claimed = await begun({ repeat: 'deduplicated' });
    await cut();
    await finish(sql, claimed, 'unknown');
    expect(await reconcileOpenGates(sql)).toBe(0);
    expect(await stateOf(claimed.id)).toBe('ambiguous');
    await release();
    expect(await stateOf(claimed.id)).toBe('retrying');
  });

  it(verifies('I9', 'is not repeated once its attempts are used up'), async () => {
    const claimed = await begun({ repeat: 'deduplicated' });
    await finish(sql, claimed, 'unknown', { next: { state: 'ambiguous', reason: 'outcome_unknown', delayMs: null } });
    await reconcileOpenGates(sql);
    expect(await readCallback(sql, claimed.id, null)).toMatchObject({
      state: 'needs_review',
      reason: 'retries_exhausted',
    });
  });
});

describe('a status lookup', () => {
  const settle = (state: 'delivered' | 'retrying' | 'needs_review' | 'ambiguous') => {
    const outcome = { delivered: 'complete', retrying: 'not_started' }[state as string] ?? 'ambiguous';
    const disproves = state === 'retrying';
    const againMs = state === 'ambiguous' ? 0 : null;
    const reason = disproves ? 'status_not_found' : state === 'delivered' ? 'status_complete' : 'status_unknown';
    return { state, outcome: outcome as ReconciliationOutcome, reason, againMs, disproves } as const;
  };

  async function asked(): Promise<{ id: string; lookups: number }> {
    await attempted('unknown', { status: STATUS });
    await reconcileOpenGates(sql);
    const [lookup] = await claimLookups(sql, { limit: 10, leaseMs: 60_000, silentAfterMs: 5000 });
    if (lookup === undefined) throw new Error('no lookup');
    expect(lookup).toMatchObject({ lookups: 1, settleAfterMs: 30_000, canRetry: true, repeat: 'forbidden' });
    return lookup;
  }

  it('is claimed by one worker, and again by another when its lease is over', async () => {
    await asked();
    expect(await claimLookups(sql, { limit: 10, leaseMs: 0, silentAfterMs: 5000 })).toEqual([]);
    await sql`update callback set due_at = clock_timestamp()`;
    const racing = await Promise.all(
      [1, 2, 3].map(() => claimLookups(sql, { limit: 10, leaseMs: 60_000, silentAfterMs: 5000 })),
    );
    expect(racing.flat().map(({ lookups }) => lookups)).toEqual([2]);
  });

  it('that says complete closes the callback, and its entry in the run', async () => {
    const { id, lookups } = await asked();
    expect(await finishLookup(sql, { callbackId: id, lookups, decision: settle('delivered') })).toMatchObject({
      fenced: false,
    });
    expect(await readCallback(sql, id, null)).toMatchObject({ state: 'delivered', finishedAt: expect.any(Date) });
    expect((await lastRun()).entries.get(id)).toBe('complete status_complete close');
  });

  it(
    verifies('I7', 'that proves nothing happened lets even a forbidden repeat go; one that comes late changes nothing'),
    async () => {
      const { id, lookups } = await asked();
      await finishLookup(sql, { callbackId: id, lookups, decision: settle('retrying') });
      const late = await finishLookup(sql, { callbackId: id, lookups, decision: settle('needs_review') });
      expect(late.fenced).toBe(true);
      const [again] = await claim(sql);
      expect(again).toMatchObject({ id, attempt: 2, maybeReceived: false });
      expect((await lastRun()).entries.get(id)).toBe('not_started status_not_found send');
    },
  );

  it('waits while the gate is held, and is part of the next release', async () => {
    await attempted('unknown', { status: STATUS });
    await reconcileOpenGates(sql);
    await cut();
    expect(await claimLookups(sql, { limit: 10, leaseMs: 60_000, silentAfterMs: 5000 })).toEqual([]);
    await release();
    expect(await claimLookups(sql, { limit: 10, leaseMs: 60_000, silentAfterMs: 5000 })).toHaveLength(1);
    expect((await lastRun()).run).toMatchObject({ trigger: 'release', ambiguous: 1 });
  });
});

describe('the claim itself', () => {
  it(verifies('I7', 'repeats nothing forbidden whose outcome is unknown, whatever state it was put in'), async () => {
    const id = await attempted('unknown');
    await sql`update callback set state = 'retrying', due_at = clock_timestamp()`;
    expect(await claim(sql)).toEqual([]);
    expect(await readCallback(sql, id, null)).toMatchObject({ state: 'needs_review', reason: 'approval_expired' });
  });

  it(
    verifies('I7', 'takes an approval for one attempt, of the payload that was approved, while it lasts'),
    async () => {
      const approve = (id: string, payload: string, until: string) => sql`
      with back as (update callback set state = 'retrying', due_at = clock_timestamp() where id = ${id})
      insert into review (callback_id, decision, payload_hash, actor, reason, decided_at, expires_at)
      values (${id}, 'approve', ${Buffer.from(payload)}, 'ada', 'the books show nothing', clock_timestamp(), clock_timestamp() + ${until}::interval)`;
      const id = await attempted('unknown');
      await approve(id, 'another payload', '1 hour');
      await approve(id, 'payload', '-1 second');
      expect(await claim(sql)).toEqual([]);
      await approve(id, 'payload', '1 hour');
      const [again] = await claim(sql);
      expect(again).toMatchObject({ id, attempt: 2, maybeReceived: true });
      if (again !== undefined) await finish(sql, again, 'not_sent');
      expect(await claim(sql)).toEqual([]);
      expect(await stateOf(id)).toBe('needs_review');
    },
  );
});
