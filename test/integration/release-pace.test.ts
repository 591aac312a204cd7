import { pickSendable, type SafeName, type WaitingCallback } from '@tidegate/core';
import {
  claimCallbacks,
  connect,
  expireCallbacks,
  type NewCallback,
  orderCallback,
  readCallback,
  type Sql,
} from '@tidegate/store';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
  await sql`truncate callback, attempt, ramp, circuit, reconciliation, reconciliation_item, review`;
  await sql`update gate set state = 'releasing', reason = 'verified', generation = 3, hand = null, hand_actor = null, hand_reason = null, hand_expires_at = null`;
});

const POLICY = () => ({ canary: 1, maxPerSecond: 6 });
const slowly = (limit = 100) => claimCallbacks(sql, { limit, leaseMs: 60_000, silentAfterMs: 5000, policyOf: POLICY });
const stateOf = async (id: string) => (await readCallback(sql, id, null))?.state;
/** The cap of this second does not come in the way of the next claim. */
const nextSecond = () => sql`update ramp set second_at = second_at - interval '1 second'`;

async function handMany(
  count: number,
  change: (index: number) => Partial<NewCallback> = () => ({}),
): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await hand(sql, change(index)));
  return ids;
}

describe('the ramp', () => {
  it('sends one canary to each destination, doubles with each round of answers, and keeps to the cap', async () => {
    await handMany(40, (index) => ({ origin: `https://${index % 2}.example` }));
    const rounds: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const { claimed } = await slowly();
      expect(await slowly()).toMatchObject({ claimed: [] });
      rounds.push(claimed.length);
      for (const callback of claimed) await finish(sql, callback, 'delivered', { policyOf: POLICY });
      await nextSecond();
    }
    expect(rounds).toEqual([2, 4, 8, 12, 12]);
  });

  it('says when the second that is full is over', async () => {
    await sql`update gate set state = 'open'`;
    await handMany(10);
    const { claimed, againAt } = await slowly();
    expect(claimed).toHaveLength(6);
    expect(againAt?.getTime()).toBeGreaterThan(Date.now() - 5000);
    expect((await slowly()).claimed).toEqual([]);
  });

  it('is back to the canary after a failure', async () => {
    await handMany(20);
    for (const ending of ['delivered', 'delivered', 'not_sent'] as const) {
      for (const callback of (await slowly()).claimed) await finish(sql, callback, ending, { policyOf: POLICY });
      await nextSecond();
    }
    expect((await slowly()).claimed).toHaveLength(1);
  });

  it(verifies('I7', 'is stopped mid-way by a Disconnected, and begins anew with a canary'), async () => {
    await handMany(20);
    for (let round = 0; round < 2; round += 1) {
      for (const callback of (await slowly()).claimed) await finish(sql, callback, 'delivered', { policyOf: POLICY });
      await nextSecond();
    }
    await deliver(sql, planted, { status: 'disconnected' });
    expect((await slowly()).claimed).toEqual([]);
    expect(await sql`select count(*)::int as n from callback where state = 'held'`).toEqual([{ n: 17 }]);
    await openByVerification(sql, planted.serviceId);
    expect((await slowly()).claimed).toHaveLength(1);
  });

  it('does not let workers that race exceed it', async () => {
    await handMany(20);
    const racing = await Promise.all([1, 2, 3, 4].map(() => slowly()));
    expect(racing.flatMap(({ claimed }) => claimed)).toHaveLength(1);
  });
});

describe('the circuit of a destination', () => {
  const origin = 'https://broken.example';

  async function breakIt(): Promise<void> {
    await handMany(8, () => ({ origin, repeat: 'deduplicated' }));
    for (const callback of await claim(sql, 5)) await finish(sql, callback, 'not_sent');
  }

  it('opens after failures in a row, for that destination alone, and the gate stays as it is', async () => {
    await breakIt();
    const other = await hand(sql);
    const { claimed, againAt } = await claimCallbacks(sql, {
      limit: 100,
      leaseMs: 1,
      silentAfterMs: 5000,
      policyOf: () => ({ canary: 100, maxPerSecond: 100 }),
    });
    expect(claimed.map(({ id }) => id)).toEqual([other]);
    expect(againAt?.getTime()).toBeGreaterThan(Date.now());
    expect(await sql`select state from gate`).toEqual([{ state: 'releasing' }]);
  });

  it('lets a counted few through when its time is over, closes after two answers, and is forgotten', async () => {
    await breakIt();
    await sql`update circuit set open_until = clock_timestamp()`;
    const permitted = await claim(sql, 100);
    expect(permitted).toHaveLength(2);
    expect(await claim(sql, 100)).toEqual([]);
    for (const callback of permitted) await finish(sql, callback, 'delivered');
    expect(await sql`select * from circuit`).toEqual([]);
    expect(await claim(sql, 100)).toHaveLength(6);
  });

  it('opens again, for longer, when one of them fails', async () => {
    await breakIt();
    await sql`update circuit set open_until = clock_timestamp()`;
    const [first] = await claim(sql, 1);
    if (first !== undefined) await finish(sql, first, 'not_sent');
    expect(await claim(sql, 100)).toEqual([]);
    const [row] = await sql<{ state: string; longer: boolean }[]>`
      select state, open_until > clock_timestamp() + interval '6 seconds' as longer from circuit`;
    expect(row).toEqual({ state: 'open', longer: true });
  });
});

describe('the permits of a destination that is tried out', () => {
  const origin = 'https://shared.example';
  const key = { orderingHash: Buffer.from('k') };

  beforeEach(async () => {
    await sql`insert into service (name, source_name, group_name, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
              values ('other', 's', 'g', 'default', 1, 1, 1, '') on conflict do nothing`;
    await sql`insert into gate (service_id, state) select id, 'open' from service where name = 'other' on conflict do nothing`;
  });
  afterEach(async () => {
    await sql`delete from gate where service_id <> ${planted.serviceId}`;
  });
  const tryOut = () => sql`
    insert into circuit (origin, state, failures, successes, openings, open_until)
    values (${origin}, 'half_open', 0, 0, 1, clock_timestamp()) on conflict (origin) do update set state = 'half_open', successes = 0`;

  it('are not kept for a service whose callbacks cannot begin', async () => {
    const [head = '', behind = ''] = [await hand(sql, { origin, ...key }), await hand(sql, { origin, ...key })];
    await sql`update callback set state = 'retrying', due_at = clock_timestamp() + interval '1 hour' where id = ${head}`;
    const late = await hand(sql, { origin });
    await sql`update callback set state = 'retrying', due_at = clock_timestamp() + interval '1 hour' where id = ${late}`;
    await tryOut();
    const other = await hand(sql, { origin, service: 'other' });
    expect((await claim(sql, 100)).map(({ id }) => id)).toEqual([other]);
    expect(await stateOf(behind)).toBe('queued');
  });

  it('go to the service that has not sent there for longest, however much another has waiting', async () => {
    await handMany(6, () => ({ origin }));
    await tryOut();
    for (const callback of await claim(sql, 100)) await finish(sql, callback, 'refused');
    const other = await hand(sql, { origin, service: 'other' });
    expect((await claim(sql, 100)).map(({ id }) => id)).toContain(other);
  });
});

describe('ordering keys', () => {
  const key = (name: string) => ({ orderingHash: Buffer.from(name) });
  const order = (callback: string, command: 'redrive' | 'approve') => {
    const approval = command === 'approve' ? { payloadHash: Buffer.from('payload'), forMs: 3_600_000 } : null;
    const by = { actor: 'ada' as SafeName, reason: 'seen' as SafeName, keyId: null, services: null };
    return orderCallback(sql, { callback, command, ...by, approval }, () => Buffer.from('signed'));
  };

  it.each([
    ['redrive', { state: 'failed', reason: 'rejected' }],
    ['approve', { state: 'needs_review', reason: 'outcome_unknown' }],
  ] as const)("have one under way, also after a person's %s of one that others have passed", async (command, next) => {
    const head = await hand(sql, key('a'));
    for (const callback of await claim(sql)) await finish(sql, callback, 'refused', { next });
    const follower = await hand(sql, key('a'));
    const [sending] = await claim(sql);
    expect(sending?.id).toBe(follower);
    expect((await order(head, command)).outcome.kind).toBe('moved');
    expect(await claim(sql)).toEqual([]);
    if (sending !== undefined) await finish(sql, sending, 'delivered');
    expect((await claim(sql)).map(({ id }) => id)).toEqual([head]);
  });

  /** As many keys as said with a head that is not due, and one that may go. */
  async function waitAmong(keys: number): Promise<string> {
    await sql`update gate set state = 'open'`;
    const first = await hand(sql, key('first'));
    await sql`
      insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url, sealed_headers,
        sealed_idempotency_key, created_at, due_at, ordering_hash, generation)
      select 'cb_' || i, service_id, int4send(i), 'p', 'retrying', 'POST', origin, 'unsafe', 'forbidden', 'x', 'x', 'x', created_at,
        clock_timestamp() + interval '1 hour', sha256(int4send(i)), generation
      from callback, generate_series(1, ${keys}::int) i`;
    await sql`update callback set ordering_hash = sha256('first') where id = ${first}`;
    return first;
  }

  it('are all looked at in one claim while they are hundreds, although the first few hold nothing that may begin', async () => {
    const first = await waitAmong(400);
    expect((await claim(sql, 10)).map(({ id }) => id)).toEqual([first]);
  });

  it('are all looked at in time, however many there are', async () => {
    const first = await waitAmong(2000);
    const found: string[] = [];
    for (let claims = 0; claims < 100 && found.length === 0; claims += 1) {
      const { claimed, againAt } = await claimCallbacks(sql, {
        ...{ limit: 10, leaseMs: 60_000, silentAfterMs: 5000, policyOf: POLICY },
      });
      found.push(...claimed.map(({ id }) => id));
      expect(againAt).not.toBeNull();
    }
    expect(found).toEqual([first]);
  });

  it('go one after the other, each key by itself', async () => {
    const ids = await handMany(6, (index) => key(index % 2 === 0 ? 'a' : 'b'));
    for (const turn of [0, 2, 4]) {
      const claimed = await claim(sql, 100);
      expect(claimed.map(({ id }) => id)).toEqual([ids[turn], ids[turn + 1]]);
      expect(await claim(sql, 100)).toEqual([]);
      for (const callback of claimed) await finish(sql, callback, 'delivered');
    }
  });

  it('are blocked by a head that waits for a person, until its deadline', async () => {
    const [head, next] = await handMany(2, () => key('a'));
    await sql`update callback set state = 'needs_review', due_at = null, deadline_at = 'infinity' where id = ${head ?? ''}`;
    expect(await claim(sql)).toEqual([]);
    await sql`update callback set deadline_at = clock_timestamp() where id = ${head ?? ''}`;
    expect((await claim(sql)).map(({ id }) => id)).toEqual([next]);
  });

  it(verifies('I7', 'claiming is what the pure rule says, whatever waits in whatever state'), async () => {
    const state = fc.constantFrom<WaitingCallback['state']>(
      'held',
      'queued',
      'queued',
      'queued',
      'sending',
      'retrying',
      'ambiguous',
      'needs_review',
      'delivered',
    );
    const waiting = fc.record({
      state,
      generation: fc.constantFrom(3, 3, 3, 2),
      orderingKey: fc.constantFrom(null, 'a', 'b'),
      due: fc.constantFrom(true, true, false),
      deadline: fc.constantFrom(null, null, 'past' as const, 'ahead' as const),
      passesHeld: fc.constantFrom(false, false, true),
    });
    const gate = fc.constantFrom(['releasing', null], ['open', null], ['held', null], ['held', 'held']);
    await fc.assert(
      fc.asyncProperty(fc.array(waiting, { maxLength: 12 }), gate, async (rows, [gateState, byHand]) => {
        await sql`truncate callback, attempt, ramp`;
        const hand_ = byHand === 'held' ? 'ada' : null;
        await sql`update gate set state = ${gateState ?? 'held'}, hand = ${byHand ?? null}, hand_actor = ${hand_}, hand_reason = ${hand_},
                    hand_expires_at = case when ${byHand !== null} then clock_timestamp() + interval '1 day' end,
                    reason = ${byHand === 'held' ? 'held_by_hand' : 'verified'}`;
        const nowMs = Date.now();
        const model: WaitingCallback[] = [];
        for (const [index, row] of rows.entries()) {
          const minutes = { past: -1, ahead: 60 }[row.deadline ?? 'ahead'];
          const deadlineAtMs = row.deadline === null ? null : nowMs + minutes * 60_000;
          const dueAtMs = row.due ? nowMs - 60_000 : nowMs + 3_600_000;
          const id = await hand(sql, {
            ...(row.orderingKey !== null && key(row.orderingKey)),
            safety: 'safe',
            passesHeld: row.passesHeld,
            deadlineAt: deadlineAtMs === null ? null : new Date(deadlineAtMs),
          });
          await sql`update callback set state = ${row.state}, generation = ${row.generation}, due_at = ${new Date(dueAtMs)},
                      created_at = created_at + ${index} * interval '1 second',
                      finished_at = case when ${row.state} = 'delivered' then clock_timestamp() end where id = ${id}`;
          model.push({ ...row, id, dueAtMs, deadlineAtMs, createdAtMs: index });
        }
        const expected = pickSendable(
          model,
          { allowed: gateState !== 'held', heldByHand: byHand === 'held', generation: 3 },
          nowMs,
        );
        expect((await claim(sql, 100)).map(({ id }) => id).sort()).toEqual([...expected].sort());
      }),
      { numRuns: 60 },
    );
  });
});

describe('deadlines', () => {
  it('end what is held, queued or waiting to be tried again; unknown outcomes go before a person', async () => {
    const unknown = await hand(sql, { repeat: 'deduplicated' });
    const [claimed] = await claim(sql);
    if (claimed !== undefined)
      await finish(sql, claimed, 'unknown', { next: { state: 'retrying', reason: 'x', delayMs: 1e6 } });
    const [queued = '', held = '', late = ''] = await handMany(3);
    await sql`update callback set state = 'held', due_at = null where id = ${held}`;
    await sql`update callback set deadline_at = clock_timestamp() where id <> ${late}`;
    expect(await expireCallbacks(sql, 100)).toBe(3);
    expect(await Promise.all([unknown, queued, held, late].map(stateOf))).toEqual([
      'needs_review',
      'expired',
      'expired',
      'queued',
    ]);
  });
});

describe('a callback declared to pass', () => {
  it('is sent while the gate is held, and no other; not while a person holds it', async () => {
    await sql`update gate set state = 'held'`;
    const passing = await hand(sql, { safety: 'safe', passesHeld: true });
    const safe = await hand(sql, { safety: 'safe' });
    expect((await claim(sql)).map(({ id }) => id)).toEqual([passing]);
    expect(await stateOf(safe)).toBe('held');
    await sql`update gate set reason = 'held_by_hand', hand = 'held', hand_actor = 'ada', hand_reason = 'no', hand_expires_at = 'infinity'`;
    const stopped = await hand(sql, { safety: 'safe', passesHeld: true });
    expect(await stateOf(stopped)).toBe('held');
    await sql`update callback set state = 'queued', due_at = clock_timestamp() where id = ${stopped}`;
    expect(await claim(sql)).toEqual([]);
  });

  it(verifies('I7', 'goes before a person when its approval is over, and takes no place until then'), async () => {
    await sql`update gate set state = 'held'`;
    const passing = { safety: 'safe', passesHeld: true } as const;
    const unknown = await handMany(6, () => passing);
    for (const callback of await claim(sql, 100))
      await finish(sql, callback, 'unknown', { next: { state: 'needs_review', reason: 'outcome_unknown' } });
    // As an approval leaves it, that expires before anything else happens.
    await sql`update callback set state = 'retrying', due_at = clock_timestamp() - interval '1 hour'`;
    await sql`
      insert into review (callback_id, decision, payload_hash, actor, reason, decided_at, expires_at)
      select id, 'approve', payload_hash, 'ada', 'seen', now(), now() from callback`;
    const next = await hand(sql, passing);
    await sql`truncate circuit`;
    await nextSecond();
    expect((await slowly()).claimed.map(({ id }) => id)).toEqual([next]);
    await slowly();
    expect(new Set(await Promise.all(unknown.map(stateOf)))).toEqual(new Set(['needs_review']));
  });
});
