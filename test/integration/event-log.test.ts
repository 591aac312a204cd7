import { randomUUID } from 'node:crypto';
import { sanitizeName, tellEvent } from '@tidegate/core';
import {
  connect,
  correlateDue,
  type EventRow,
  holdGate,
  prune,
  readEvents,
  releaseGate,
  type Sql,
} from '@tidegate/store';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification } from '../support/verify-service.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 6 });
  planted = await plantService(sql, 'agent');
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await database.drop();
});
beforeEach(async () => {
  await sql`truncate event, timeline_entry, incident, incident_subject, incident_service cascade`;
  await sql`update event_counter set last_number = 0, pruned_through = 0`;
});

/** What happened, without a change behind it: the writer is what is looked at. */
const write = (tx: Sql, name: string) => tx`insert into event (at, event, why) values (now(), ${name}, ${name})`;
const readAll = async (after = 0, limit = 1000) => (await readEvents(sql, { after, limit })).items;
const names = (items: readonly EventRow[]) => items.map(({ event }) => event);

/** A transaction that has written and is not committed yet. */
async function holdOpen(name: string): Promise<() => Promise<void>> {
  let commit = () => {};
  const asked = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let ended: Promise<unknown> = Promise.resolve();
  await new Promise<void>((written) => {
    ended = sql.begin(async (tx) => {
      await write(tx as unknown as Sql, name);
      written();
      await asked;
    });
  });
  return async () => {
    commit();
    await ended;
  };
}

describe('the numbers of events', () => {
  it(verifies('I12.events', 'never skip one that was written before and is committed later'), async () => {
    const commit = await holdOpen('written-first');
    await write(sql, 'written-later');
    const first = await readAll();
    expect(first.map(({ number, event }) => [number, event])).toEqual([[1, 'written-later']]);
    await commit();
    expect((await readAll(1)).map(({ number, event }) => [number, event])).toEqual([[2, 'written-first']]);
    expect(names(await readAll())).toEqual(['written-later', 'written-first']);
  });

  it('are given once, without a gap, whoever gives them at the same time', async () => {
    const others = [1, 2, 3].map((n) => connect(database.url, { application: `test-${n}`, connections: 2 }));
    const seen: EventRow[][] = others.map(() => []);
    let writing = true;
    const follow = async (reader: Sql, index: number) => {
      const mine = seen[index] ?? [];
      for (let more = true; more || writing; ) {
        const { items } = await readEvents(reader, { after: mine.at(-1)?.number ?? 0, limit: 7 });
        mine.push(...items);
        more = items.length > 0 || mine.length < 120;
      }
    };
    const reading = others.map(follow);
    await Promise.all(
      Array.from({ length: 4 }, async (_, writer) => {
        for (let n = 0; n < 30; n += 1) await write(sql, `${writer}-${n}`);
      }),
    );
    writing = false;
    await Promise.all(reading);
    for (const mine of seen) {
      expect(mine.map(({ number }) => number)).toEqual(Array.from({ length: 120 }, (_, index) => index + 1));
      expect(names(mine)).toEqual(names(seen[0] ?? []));
    }
    await Promise.all(others.map((other) => other.end({ timeout: 1 })));
  });

  it(verifies('I12.events', 'let a reader see each event once and in one order, whatever commits when'), async () => {
    const step = fc.oneof(
      fc.constant({ kind: 'write' as const }),
      fc.constant({ kind: 'begin' as const }),
      fc.record({ kind: fc.constant('commit' as const), which: fc.nat() }),
      fc.record({ kind: fc.constant('read' as const), limit: fc.integer({ min: 1, max: 4 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        await sql`truncate event`;
        await sql`update event_counter set last_number = 0, pruned_through = 0`;
        const open: (() => Promise<void>)[] = [];
        const seen: EventRow[] = [];
        let written = 0;
        const name = () => `e${written++}`;
        for (const one of steps) {
          if (one.kind === 'write') await write(sql, name());
          else if (one.kind === 'begin' && open.length < 3) open.push(await holdOpen(name()));
          else if (one.kind === 'commit') await open.splice(one.which % Math.max(1, open.length), 1)[0]?.();
          else if (one.kind === 'read') seen.push(...(await readAll(seen.at(-1)?.number ?? 0, one.limit)));
        }
        for (const commit of open) await commit();
        seen.push(...(await readAll(seen.at(-1)?.number ?? 0)));
        expect(names(seen).toSorted()).toEqual(Array.from({ length: written }, (_, n) => `e${n}`).toSorted());
        expect(seen.map(({ number }) => number)).toEqual(seen.map((_, index) => index + 1));
        expect(await readAll()).toEqual(seen);
      }),
      { numRuns: 25 },
    );
  });

  it('do not wait for a numberer that is held up', async () => {
    await write(sql, 'waits');
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked = () => {};
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const other = sql.begin(async (tx) => {
      await tx`select 1 from event_counter for update`;
      locked();
      await held;
    });
    await isLocked;
    expect(await readAll()).toEqual([]);
    release();
    await other;
    expect(names(await readAll())).toEqual(['waits']);
  });
});

describe('what is told', () => {
  it('is committed with the change, and not at all when that is rolled back', async () => {
    await sql
      .begin(async (tx) => {
        await tx`insert into incident (id, kind, mass_group, opened_at, summary) values ('inc_gone', 'mass', 'g', now(), 's')`;
        await tx`insert into timeline_entry (incident_id, at, event, why) values ('inc_gone', now(), 'incident.opened', 'w')`;
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    expect(await readAll()).toEqual([]);
  });

  it('is when a gate shuts, opens and is ordered by hand, once each, with the incident that is open then', async () => {
    await openByVerification(sql, planted.serviceId);
    await sql`insert into incident (id, kind, mass_group, opened_at, summary) values ('inc_one', 'mass', 'g', now(), 's')`;
    await sql`insert into incident_service values ('inc_one', ${planted.serviceId})`;
    await deliver(sql, planted, { status: 'disconnected' });
    await deliver(sql, planted, { status: 'disconnected' });
    const told = await readAll();
    expect(told.map(({ event, service, reason, incident }) => ({ event, service, reason, incident }))).toEqual([
      { event: 'gate.opened', service: 'agent', reason: 'verified', incident: null },
      { event: 'gate.held', service: 'agent', reason: 'disconnected', incident: 'inc_one' },
    ]);
    expect(told.map(({ services }) => services)).toEqual([['agent'], ['agent']]);
    const order = { service: 'agent', actor: sanitizeName('Ann'), reason: sanitizeName('maintenance'), keyId: null };
    await holdGate(sql, { ...order, forMs: 60_000 }, () => Buffer.alloc(32));
    const [, , byHand] = await readAll();
    expect(byHand).toMatchObject({
      event: 'gate.held_by_hand',
      reason: 'held_by_hand',
      actor: 'Ann',
      words: 'maintenance',
    });
  });

  it('is a drop that healed, and an outage from its first Disconnected to its end, in that order', async () => {
    const correlate = async () => {
      await sql`update pending set first_at = first_at - interval '1 hour', last_at = last_at - interval '1 hour', due_at = due_at - interval '1 hour'`;
      await correlateDue(sql, 100, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);
    };
    const ticks = (aheadMs: number) => BigInt(Date.now() + aheadMs) * 10_000n;
    await releaseGate(sql, { service: 'agent', actor: sanitizeName('Ann'), reason: null, keyId: null }, () =>
      Buffer.alloc(32),
    );
    await openByVerification(sql, planted.serviceId);
    const before = (await readEvents(sql, { after: 0, limit: 0 })).last;
    await deliver(sql, planted, { status: 'disconnected', ticks: ticks(0) });
    await deliver(sql, planted, { status: 'connected', ticks: ticks(1) });
    await correlate();
    await openByVerification(sql, planted.serviceId);
    await deliver(sql, planted, { status: 'disconnected', ticks: ticks(2) });
    await correlate();
    await openByVerification(sql, planted.serviceId);
    const told = await readAll(before);
    expect(names(told)).toEqual([
      'gate.held',
      'group.blipped',
      'gate.opened',
      'gate.held',
      'incident.opened',
      'incident.joined',
      'verification.passed',
      'gate.opened',
      'verification.passed',
      'incident.resolved',
    ]);
    // Each concerns the service, and those of the outage name one incident; its gate was shut before there was one.
    expect(told.every(({ services }) => services.join() === 'agent')).toBe(true);
    expect(new Set(told.slice(4).map(({ incident }) => incident)).size).toBe(1);
    expect(told.map(tellEvent).join('\n')).toMatch(/so nobody was paged: tunnel.*\n.*Opened as a tunnel outage/s);
  });

  it('is when a callback needs a person, and when it no longer does', async () => {
    await sql`insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url, sealed_headers,
                sealed_idempotency_key, created_at)
              values ('cb_1', ${planted.serviceId}, 'k', 'p', 'ambiguous', 'POST', 'https://x.example', 'safe', 'forbidden', '', '', '', now())`;
    for (const state of ['needs_review', 'needs_review', 'cancelled']) {
      await sql`update callback set state = ${state} where id = 'cb_1'`;
    }
    expect((await readAll()).map(({ event, callback, reason }) => ({ event, callback, reason }))).toEqual([
      { event: 'callback.needs_review', callback: 'cb_1', reason: 'needs_review' },
      { event: 'callback.reviewed', callback: 'cb_1', reason: 'cancelled' },
    ]);
  });
});

describe('retention', () => {
  const periods = {
    observationsMs: 1e9,
    incidentsMs: 3_600_000,
    verificationsMs: 1e9,
    callbacksMs: 1e9,
    idempotencyMs: 1e9,
    quarantineMs: 1e9,
  };

  it('removes the oldest numbers, leaves no gap, and says up to where', async () => {
    for (let n = 0; n < 5; n += 1) await write(sql, `e${n}`);
    await readAll();
    // A row between is old as well, but one before it is not: what is kept has no gap.
    await sql`update event set recorded_at = now() - interval '2 hours' where number in (1, 2, 4)`;
    expect((await prune(sql, periods))?.events).toBe(2);
    const page = await readEvents(sql, { after: 0, limit: 10 });
    expect(page.items.map(({ number }) => number)).toEqual([3, 4, 5]);
    expect(page).toMatchObject({ last: 5, prunedThrough: 2 });
  });

  it('removes what nobody has read either, and never gives a number twice', async () => {
    await write(sql, 'old');
    await sql`update event set recorded_at = now() - interval '2 hours'`;
    expect((await prune(sql, periods))?.events).toBe(1);
    expect(await readEvents(sql, { after: 0, limit: 10 })).toEqual({ items: [], last: 1, prunedThrough: 1 });
    await write(sql, 'new');
    expect((await readAll(1)).map(({ number }) => number)).toEqual([2]);
  });
});
