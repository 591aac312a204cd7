import { randomUUID } from 'node:crypto';
import { connect, correlateDue, createCallback, prune, recordBatch, type Sql } from '@tidegate/store';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { backdate } from '../support/backdate.ts';
import { passTime } from '../support/pass-time.ts';
import { clearCorrelation, type PlantedFleet, plantFleet, type Report, report } from '../support/plant-fleet.ts';
import { RECORD_SETTINGS } from '../support/plant-service.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { openByVerification } from '../support/verify-service.ts';

const DAY_MS = 86_400_000;
const PERIODS = {
  observationsMs: 90 * DAY_MS,
  incidentsMs: 365 * DAY_MS,
  verificationsMs: 30 * DAY_MS,
  callbacksMs: 30 * DAY_MS,
  idempotencyMs: 7 * DAY_MS,
  quarantineMs: 30 * DAY_MS,
};
const NOTHING = {
  observations: 0,
  deliveries: 0,
  months: 0,
  verifications: 0,
  events: 0,
  incidents: 0,
  callbacks: 0,
  emptied: 0,
  quarantine: 0,
  dataKeys: 0,
  other: 0,
};

let database: TestDatabase;
let sql: Sql;
let fleet: PlantedFleet;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(async () => {
  await clearCorrelation(sql);
  await sql`truncate callback, attempt, data_key, silence, quarantine`;
  fleet = await plantFleet(sql, { devices: 2, tunnels: 2 });
});

const deviceId = (index: number) => fleet.devices[index]?.id ?? 0;

/** Records reports as if they had been received when they happened. */
async function reportLongAgo(reports: readonly Report[]): Promise<void> {
  for (const one of reports) {
    await report(sql, fleet, [one]);
    await backdate(sql, new Date(Date.now() - (one.agoMs ?? 0)));
  }
  await sql`update connectivity set moved_at = moved_at - interval '91 days'`;
  await sql`truncate pending`;
}

async function views() {
  return sql`select * from connectivity order by subject_id`;
}

async function receivedDaysAgo(): Promise<number[]> {
  const rows = await sql<{ days: number }[]>`
    select round(extract(epoch from now() - first_received_at) / 86400)::int as days from observation order by first_received_at`;
  return rows.map(({ days }) => days);
}

describe('observations', () => {
  it('go with their deliveries, but for the view and the last one before the cutoff', async () => {
    await reportLongAgo([
      { subjectId: deviceId(0), status: 'disconnected', agoMs: 160 * DAY_MS },
      { subjectId: deviceId(0), status: 'connected', agoMs: 150 * DAY_MS },
      { subjectId: deviceId(0), status: 'disconnected', agoMs: 140 * DAY_MS },
      { subjectId: deviceId(0), status: 'connected', agoMs: 10 * DAY_MS },
      { subjectId: deviceId(1), status: 'disconnected', agoMs: 162 * DAY_MS },
      { subjectId: deviceId(1), status: 'connected', agoMs: 155 * DAY_MS },
    ]);
    const before = await views();
    expect(await prune(sql, PERIODS)).toEqual({ ...NOTHING, observations: 3, deliveries: 5 });
    expect(await receivedDaysAgo()).toEqual([155, 140, 10]);
    expect(await views()).toEqual(before);
    expect((await sql`select count(*)::int as count from delivery`)[0]).toEqual({ count: 1 });
    expect((await sql`select count(*)::int as count from observation_key`)[0]).toEqual({ count: 3 });
    expect(await prune(sql, PERIODS)).toEqual(NOTHING);
  });

  it('stay while an open incident, a waiting row, quarantine or a recent repeat refers to them', async () => {
    const old = (index: number): Report[] => [
      { subjectId: deviceId(index), status: 'disconnected', agoMs: 160 * DAY_MS },
      { subjectId: deviceId(index), status: 'connected', agoMs: 150 * DAY_MS },
      { subjectId: deviceId(index), status: 'disconnected', agoMs: 140 * DAY_MS },
    ];
    await reportLongAgo(old(0));
    const keep = async (deliveries = 0) => expect(await prune(sql, PERIODS)).toEqual({ ...NOTHING, deliveries });
    const [first] = await sql<{ key: string }[]>`select key from observation order by first_received_at limit 1`;
    const key = first?.key ?? '';

    await sql`insert into pending (group_id, first_at, last_at, count, disconnects, due_at) values (${deviceId(0)}, now(), now(), 1, 1, now())`;
    await keep(3);
    await sql`truncate pending`;
    await sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_a', 'device', ${deviceId(0)}, now(), '')`;
    await sql`insert into incident_subject (incident_id, subject_id, why, joined_at) values ('inc_a', ${deviceId(0)}, 'device_down', now())`;
    await keep();
    await sql`update incident set state = 'resolved', resolved_at = now(), resolved_by = 'ver_a'`;
    await sql`update observation set trusted = false where key = ${key}`;
    await sql`delete from observation where status = 'connected'`;
    await sql`delete from observation_key where key not in (select key from observation)`;
    await sql`insert into quarantine (id, source_id, received_at, field, problem, bytes, sealed_body, replayed_as)
              values ('qua_a', 1, now(), 'x', 'y', 1, ''::bytea, ${`obs_${key.replaceAll('-', '')}`})`;
    await keep();
    await sql`truncate quarantine`;
    await sql`insert into delivery (id, observation_key, source_id, received_at) values (${randomUUID()}, ${key}, 1, now())`;
    await keep();
    await sql`update delivery set received_at = now() - interval '125 days'`;
    expect(await prune(sql, PERIODS)).toEqual({ ...NOTHING, observations: 1, deliveries: 1 });
  });

  it('that are being recorded at this moment wait for nobody, and are left for the next time', async () => {
    await reportLongAgo([
      { subjectId: deviceId(0), status: 'disconnected', agoMs: 160 * DAY_MS },
      { subjectId: deviceId(0), status: 'connected', agoMs: 150 * DAY_MS },
      { subjectId: deviceId(0), status: 'disconnected', agoMs: 140 * DAY_MS },
    ]);
    await sql.begin(async (tx) => {
      await tx`select 1 from subject where id = ${deviceId(0)} for key share`;
      expect(await prune(sql, PERIODS)).toMatchObject({ observations: 0 });
    });
    expect(await prune(sql, PERIODS)).toMatchObject({ observations: 2 });
  });

  it('are found page by page, however many must stay', async () => {
    const rows = 2500;
    await sql`
      with made as (
        insert into observation (month, key, subject_id, source_id, status, ticks, trusted, first_received_at)
        select month_of(at), gen_random_uuid(), 1000 + n / 2, 1, 'connected', n, true, at
        from generate_series(0, ${rows - 1}::int) n cross join lateral (select now() - interval '160 days' + n * interval '1 second') t(at)
        returning key, first_received_at
      ), known as (
        insert into observation_key (key, first_delivery_id, first_received_at)
        -- Ids of version 7, as receivers make them: a random one may fall into a month that is kept.
        select key, (lpad(to_hex((extract(epoch from first_received_at) * 1000)::bigint), 12, '0') || '7' || substr(md5(key::text), 1, 3)
          || '8' || substr(md5(key::text), 4, 15))::uuid, first_received_at from made returning key, first_delivery_id
      )
      insert into delivery (id, observation_key, source_id, received_at)
      select first_delivery_id, key, 1, now() - interval '160 days' from known`;
    await sql`
      insert into subject (id, alias, type, group_name, fingerprint_version, fingerprint) overriding system value
      select 1000 + n, 'dev_many' || n, 'device', 'many', 1, ('x' || n)::bytea from generate_series(0, ${rows / 2}::int) n`;
    expect(await prune(sql, PERIODS)).toEqual({ ...NOTHING, observations: rows / 2, deliveries: rows });
  });

  it(verifies('I5', 'no decision, view or incident depends on whether there was pruning'), async () => {
    const factArb = fc.record({
      device: fc.nat(1),
      tunnel: fc.nat(2),
      status: fc.constantFrom('connected', 'disconnected' as const),
    });
    const historyArb = fc.record({
      old: fc.array(factArb, { maxLength: 6 }),
      recent: fc.array(factArb, { minLength: 1, maxLength: 10 }),
      flaps: fc.constantFrom(0, 2, 3, 4, 5),
    });
    // Four changes in the window, the first of them against what was observed before retention began.
    const countsAgainstOldOne: History = {
      old: [{ device: 0, tunnel: 0, status: 'connected' }],
      recent: [{ device: 1, tunnel: 1, status: 'connected' }],
      flaps: 2,
    };
    await fc.assert(
      fc.asyncProperty(historyArb, async (history) => {
        expect(await outcome(history, true)).toEqual(await outcome(history, false));
      }),
      { numRuns: 12, examples: [[countsAgainstOldOne]] },
    );
  });
});

interface History {
  readonly old: readonly { device: number; tunnel: number; status: 'connected' | 'disconnected' }[];
  readonly recent: History['old'];
  readonly flaps: number;
}

/** What correlation makes of a history in two passes, with or without pruning between and after them. */
async function outcome(history: History, pruned: boolean) {
  await clearCorrelation(sql);
  fleet = await plantFleet(sql, { devices: 2, tunnels: 2 });
  const subjectOf = ({ device, tunnel }: History['old'][number]) =>
    tunnel === 0 ? deviceId(device) : (fleet.devices[device]?.tunnels[tunnel - 1]?.id ?? 0);
  await reportLongAgo(
    history.old.map((fact, index) => ({
      subjectId: subjectOf(fact),
      status: fact.status,
      agoMs: 170 * DAY_MS - index * DAY_MS,
    })),
  );
  const flaps = Array.from({ length: history.flaps }, (_, index) => ({
    subjectId: deviceId(0),
    status: index % 2 === 0 ? ('disconnected' as const) : ('connected' as const),
    agoMs: 100_000 - index * 1000,
  }));
  const recent = history.recent.map((fact, index) => ({
    subjectId: subjectOf(fact),
    status: fact.status,
    agoMs: 60_000 - index * 1000,
  }));
  await report(sql, fleet, [...flaps, ...recent]);
  const decisions: unknown[] = [];
  for (let pass = 0; pass < 2; pass += 1) {
    if (pruned) await prune(sql, PERIODS);
    await passTime(sql, 121_000);
    let number = 0;
    const groups = await correlateDue(sql, 100, POLICIES, () => {
      number += 1;
      return `inc_${pass}${number}`;
    });
    decisions.push(groups.map(({ decision, group, incidentId }) => ({ ...timeless(decision), group, incidentId })));
    // While nothing of it waits or is open: what protects its observations is the rule for the last one alone.
    if (pruned) await prune(sql, PERIODS);
    await report(sql, fleet, [
      { subjectId: deviceId(0), status: 'disconnected', agoMs: 1000 },
      { subjectId: deviceId(0), status: 'connected' },
    ]);
  }
  if (pruned) await prune(sql, PERIODS);
  const view = await sql`select subject_id, disconnected, suspect_disconnected from connectivity order by 1`;
  const incidents = await sql`select id, kind, state, group_id, reopened from incident order by id`;
  const members = await sql`select incident_id, subject_id, why from incident_subject order by 1, 2`;
  return { decisions, view, incidents, members };
}

function timeless(decision: object): object {
  return Object.fromEntries(
    Object.entries(decision).filter(([name]) => !['since', 'lookAgainAt', 'dueAt'].includes(name)),
  );
}

describe('incidents and verifications', () => {
  it(verifies('I11', 'the evidence an incident ended by stays as long as the incident'), async () => {
    const [device] = fleet.devices;
    await report(sql, fleet, [{ subjectId: deviceId(0), status: 'disconnected' }]);
    await passTime(sql, 21_000);
    await correlateDue(sql, 10, POLICIES, () => 'inc_old');
    await report(sql, fleet, [{ subjectId: deviceId(0), status: 'connected' }]);
    await openByVerification(sql, device?.serviceId ?? 0);
    expect(await sql`select state from incident`).toEqual([{ state: 'resolved' }]);
    await passTime(sql, 40 * DAY_MS);
    // The other pass goes; the one the incident and the gate cite stays.
    expect(await prune(sql, PERIODS)).toMatchObject({ verifications: 1, incidents: 0 });
    await passTime(sql, 326 * DAY_MS);
    expect(await prune(sql, PERIODS)).toMatchObject({ incidents: 1, verifications: 0 });
    expect(await sql`select 1 from timeline_entry`).toEqual([]);
    await sql`update gate set opened_by = null`;
    expect(await prune(sql, PERIODS)).toMatchObject({ verifications: 1 });
    expect(await sql`select 1 from verification_layer`).toEqual([]);
  });

  it('stay while they are open or something merged into them is still kept', async () => {
    const year = new Date(Date.now() - 366 * DAY_MS);
    await sql`insert into incident (id, kind, state, group_id, opened_at, resolved_at, resolved_by, merged_into, summary) values
      ('inc_open', 'device', 'open', ${deviceId(0)}, ${year}, null, null, null, ''),
      ('inc_into', 'device', 'resolved', ${deviceId(0)}, ${year}, ${year}, 'ver_x', null, ''),
      ('inc_part', 'tunnel', 'resolved', ${deviceId(1)}, ${year}, now(), null, 'inc_into', '')`;
    await sql`insert into verification (id, incident_id, generation, started_at, finished_at, verdict, runbook, passed, passes, overtaken)
      values ('ver_open', 'inc_open', 0, ${year}, ${year}, 'healthy', '', true, 1, false)`;
    expect(await prune(sql, PERIODS)).toEqual(NOTHING);
    await sql`update incident set resolved_at = ${year} where id = 'inc_part'`;
    expect(await prune(sql, PERIODS)).toMatchObject({ incidents: 1 });
    expect(await prune(sql, PERIODS)).toMatchObject({ incidents: 1 });
    expect(await sql`select id from incident`).toEqual([{ id: 'inc_open' }]);
  });
});

describe('callbacks', () => {
  const handOver = (payload: string) =>
    createCallback(sql, {
      id: `cb_${randomUUID().slice(0, 8)}`,
      service: 'home-lab-1',
      keyHash: Buffer.from('key'),
      payloadHash: Buffer.from(payload),
      method: 'POST',
      origin: 'https://hooks.example.org',
      safety: 'unsafe',
      repeat: 'deduplicated',
      sealedUrl: Buffer.from('url'),
      sealedHeaders: Buffer.from('headers'),
      sealedBody: Buffer.from('body'),
      sealedIdempotencyKey: Buffer.from('key'),
      deadlineAt: null,
      orderingHash: null,
      status: null,
      passesHeld: false,
    });

  async function finish(state: string, daysAgo: number): Promise<void> {
    await sql`update callback set state = ${state}, due_at = null, finished_at = now() - ${daysAgo} * interval '1 day'`;
  }

  it(
    verifies('I8', 'a key is remembered while in retention, with or without content, and is free after it'),
    async () => {
      const periods = { ...PERIODS, callbacksMs: 2 * DAY_MS };
      await handOver('a');
      await sql`insert into attempt (callback_id, number, generation, started_at, lease_until) select id, 1, 1, now(), now() from callback`;
      await finish('delivered', 1);
      expect(await prune(sql, periods)).toEqual(NOTHING);
      await finish('delivered', 3);
      expect(await prune(sql, periods)).toEqual({ ...NOTHING, emptied: 1 });
      expect(await prune(sql, periods)).toEqual(NOTHING);
      expect(await sql`select sealed_body, length(sealed_url) as url from callback`).toEqual([
        { sealedBody: null, url: 0 },
      ]);
      expect(await sql`select 1 from attempt`).toEqual([]);
      expect(await handOver('a')).toMatchObject({ kind: 'replayed' });
      expect(await handOver('b')).toMatchObject({ kind: 'payload_differs' });
      await finish('delivered', 8);
      expect(await prune(sql, periods)).toEqual({ ...NOTHING, callbacks: 1 });
      expect(await handOver('b')).toMatchObject({ kind: 'created' });
    },
  );

  it(verifies('I8', 'a row outlives the retention of its key when callbacks are kept longer'), async () => {
    await handOver('a');
    await finish('failed', 29);
    expect(await prune(sql, PERIODS)).toEqual(NOTHING);
    expect(await handOver('a')).toMatchObject({ kind: 'replayed' });
    await finish('failed', 31);
    expect(await prune(sql, PERIODS)).toMatchObject({ callbacks: 1 });
  });

  it('that wait, or wait for a person, stay whole for ever', async () => {
    await handOver('a');
    for (const state of ['needs_review', 'ambiguous', 'held', 'retrying', 'queued', 'sending']) {
      await finish(state, 1000);
      expect(await prune(sql, PERIODS)).toEqual(NOTHING);
    }
  });
});

describe('the rest', () => {
  it('goes when it is over: quarantine, silences, retired receivers, and data keys that no sealed value names', async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()];
    for (const [index, id] of ids.entries())
      await sql`insert into data_key (id, wrapped, recipient_key_id, created_at)
                values (${id}, ''::bytea, 'r', now() - ${index === 2 ? 364 : 366} * interval '1 day')`;
    const sealed = Buffer.concat([
      Buffer.of(1),
      Buffer.from((ids[0] ?? '').replaceAll('-', ''), 'hex'),
      Buffer.from('rest'),
    ]);
    await sql`update subject set sealed_id = ${sealed} where id = ${deviceId(0)}`;
    await sql`insert into quarantine (id, source_id, received_at, field, problem, bytes, sealed_body) values
      ('qua_a', 1, now() - interval '31 days', 'x', 'y', 1, ''::bytea), ('qua_b', 1, now() - interval '29 days', 'x', 'y', 1, ''::bytea)`;
    await sql`insert into silence (id, scope, actor, reason, created_at, expires_at) values
      ('sil_a', 'all', 'ada', 'x', now(), now() - interval '366 days'), ('sil_b', 'all', 'ada', 'x', now(), now())`;
    await sql`insert into receiver (id, started_at, heartbeat_at, retired_at, retired_by)
      select id, now() - interval '1 year', now() - interval '1 year', now() - retired * interval '1 day', 'self'
      from (values ('rcv_a', 91), ('rcv_b', 89), ('rcv_c', null)) r(id, retired)`;
    expect(await prune(sql, PERIODS)).toEqual({ ...NOTHING, quarantine: 1, other: 2, dataKeys: 1 });
    expect(await sql`select id from receiver order by id`).toEqual([{ id: 'rcv_b' }, { id: 'rcv_c' }]);
    expect((await sql`select id from data_key`).map(({ id }) => id).sort()).toEqual([ids[0], ids[2]].sort());
  });

  it('is done by one process at a time', async () => {
    const lease = await sql.reserve();
    try {
      await lease`select pg_advisory_lock(7413005)`;
      expect(await prune(sql, PERIODS)).toBeNull();
      await lease`select pg_advisory_unlock(7413005)`;
    } finally {
      lease.release();
    }
    expect(await prune(sql, PERIODS)).toEqual(NOTHING);
  });

  it('goes on after a repeat of what was removed: it is recorded as new, and the view stays', async () => {
    const record = {
      deliveryId: randomUUID(),
      observationKey: randomUUID(),
      subjectId: deviceId(0),
      sourceId: fleet.sourceId,
      status: 'disconnected' as const,
      ticks: BigInt(Date.now() - 160 * DAY_MS) * 10_000n,
      zone: 'utc' as const,
      actionDate: 'planted',
      sealedActionDate: null,
      extraFields: null,
      extraUnnamed: 0,
    };
    await recordBatch(sql, [record], RECORD_SETTINGS);
    await report(sql, fleet, [{ subjectId: deviceId(0), status: 'connected', agoMs: 140 * DAY_MS }]);
    await sql`truncate pending`;
    await backdate(sql, new Date(Date.now() - 140 * DAY_MS));
    expect(await prune(sql, PERIODS)).toMatchObject({ observations: 1 });
    const again = await recordBatch(sql, [{ ...record, deliveryId: randomUUID() }], RECORD_SETTINGS);
    expect(again.repeats).toEqual([false]);
    expect(await sql`select disconnected from connectivity`).toEqual([{ disconnected: false }]);
  });
});
