import { randomUUID } from 'node:crypto';
import type { ConnectivityStatus } from '@tidegate/core';
import { connect, correlateDue, type DeliveryRecord, recordBatch, type Sql } from '@tidegate/store';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { clearCorrelation, type PlantedFleet, plantFleet } from '../support/plant-fleet.ts';
import { RECORD_SETTINGS } from '../support/plant-service.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { verifyService } from '../support/verify-service.ts';

const DEVICES = 7;
let database: TestDatabase;
let sql: Sql;
let fleet: PlantedFleet;
let subjectIds: number[];

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  await clearCorrelation(sql);
  fleet = await plantFleet(sql, { devices: DEVICES, tunnels: 2, services: 4 });
  subjectIds = fleet.devices.flatMap((device) => [device.id, ...device.tunnels.map(({ id }) => id)]);
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/** As if nothing had ever been observed: subjects and services stay, gates stand open on evidence. */
async function startOver(): Promise<void> {
  await sql`truncate observation, observation_key, delivery, connectivity, pending, blip, incident, incident_subject, incident_service, timeline_entry,
    verification, verification_layer cascade`;
  await sql`update gate set state = 'open', reason = 'verified', generation = 1, passes = 0, pass_generation = 0, verify_run = null,
              verify_attempt = 0, since = now(), opened_by = 'ver_planted', opened_by_started_at = now() - interval '1 second'`;
}

interface Fact {
  /** Place in `subjectIds`. */
  readonly subject: number;
  readonly status: ConnectivityStatus;
  /** How long before the history's end it happened; null is a date that is none. */
  readonly agoMs: number | null;
}

const statusArb = fc.constantFrom('connected', 'disconnected' as const);
const subjectArb = fc.nat(DEVICES * 3 - 1);

/** Single changes, one subject that flaps, and many devices that are lost or back within seconds. */
const historyArb: fc.Arbitrary<Fact[]> = fc
  .record({
    singles: fc.array(fc.record({ subject: subjectArb, status: statusArb, agoMs: fc.nat(90_000) }), { maxLength: 8 }),
    flapping: fc.record({
      subject: subjectArb,
      changes: fc.constantFrom(0, 3, 4, 6, 9),
      everyMs: fc.integer({ min: 2000, max: 9000 }),
    }),
    burst: fc.record({
      devices: fc.constantFrom(0, 2, 4, 5, 7),
      status: statusArb,
      agoMs: fc.integer({ min: 1000, max: 60_000 }),
      spreadMs: fc.constantFrom(0, 200, 6000),
    }),
  })
  .map(({ singles, flapping, burst }) => [
    ...singles,
    ...Array.from({ length: flapping.changes }, (_, index) => ({
      subject: flapping.subject,
      status: index % 2 === 0 ? ('disconnected' as const) : ('connected' as const),
      agoMs: 95_000 - index * flapping.everyMs,
    })),
    ...Array.from({ length: burst.devices * 3 }, (_, subject) => ({
      subject,
      status: burst.status,
      agoMs: Math.max(0, burst.agoMs - Math.floor(subject / 3) * burst.spreadMs),
    })),
  ]);

/** The same facts in another order, some of them more than once, in batches of their own. */
const deliveryArb = fc.record({
  order: fc.array(fc.nat(), { minLength: 60, maxLength: 60 }),
  repeats: fc.array(fc.nat(200), { maxLength: 10 }),
  cuts: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 60, maxLength: 60 }),
});
type Delivery = typeof deliveryArb extends fc.Arbitrary<infer T> ? T : never;

interface Told extends Fact {
  readonly key: string;
}

function arrange(facts: readonly Told[], { order, repeats, cuts }: Delivery): Told[][] {
  const all = [...facts, ...repeats.flatMap((index) => facts[index % Math.max(1, facts.length)] ?? [])];
  const shuffled = all
    .map((fact, index) => ({ fact, place: order[index % order.length] ?? 0 }))
    .sort((a, b) => a.place - b.place)
    .map(({ fact }) => fact);
  const batches: Told[][] = [];
  for (let at = 0; at < shuffled.length; at += batches.at(-1)?.length ?? 1)
    batches.push(shuffled.slice(at, at + (cuts[batches.length % cuts.length] ?? 1)));
  return batches;
}

async function deliver(batch: readonly Told[], endMs: number): Promise<void> {
  await recordBatch(
    sql,
    batch.map(
      ({ subject, status, agoMs, key }): DeliveryRecord => ({
        deliveryId: randomUUID(),
        observationKey: key,
        subjectId: subjectIds[subject] ?? 0,
        sourceId: fleet.sourceId,
        status,
        ticks: agoMs === null ? null : BigInt(endMs - agoMs) * 10_000n,
        zone: agoMs === null ? null : 'utc',
        actionDate: null,
        sealedActionDate: null,
        extraFields: null,
        extraUnnamed: 0,
      }),
    ),
    RECORD_SETTINGS,
  );
}

const name = (facts: readonly Fact[]): Told[] => facts.map((fact) => ({ ...fact, key: randomUUID() }));

const readViews = () => sql`
  select subject_id, ticks::text, disconnected, observation_key, suspect_disconnected, suspect_connected from connectivity order by subject_id`;

/** What on-call sees, without ids and times. */
async function readIncidents() {
  return sql`
    select i.kind, i.state, coalesce(g.alias, i.mass_group) as group, i.merged_into is not null as merged,
      (select array_agg(s.alias || ' ' || x.why order by s.alias) from incident_subject x join subject s on s.id = x.subject_id where x.incident_id = i.id) as subjects,
      (select array_agg(s.name order by s.name) from incident_service x join service s on s.id = x.service_id where x.incident_id = i.id) as services
    from incident i left join subject g on g.id = i.group_id order by 1, 2, 3, 4`;
}

async function correlateAll(): Promise<void> {
  for (let pass = 0; pass < 20; pass += 1) {
    const groups = await correlateDue(sql, 3, POLICIES, () => `inc_${randomUUID().slice(0, 12)}`);
    if (groups.every(({ decision }) => decision.decision === 'wait')) return;
  }
  throw new Error('correlation did not come to an end');
}

describe('a history, however it is delivered', () => {
  it(verifies('I5', 'gives the same view in any order, with repeats and delays'), async () => {
    const undated = fc.array(fc.record({ subject: subjectArb, status: statusArb, agoMs: fc.constant(null) }), {
      maxLength: 2,
    });
    await fc.assert(
      fc.asyncProperty(historyArb, undated, deliveryArb, deliveryArb, async (facts, more, first, second) => {
        const told = name([...facts, ...more]);
        const endMs = Date.now();
        const views: unknown[] = [];
        for (const delivery of [first, second]) {
          await startOver();
          for (const batch of arrange(told, delivery)) await deliver(batch, endMs);
          views.push(await readViews());
        }
        expect(views[1]).toEqual(views[0]);
      }),
      { numRuns: 20 },
    );
  }, 120_000);

  it(verifies('I2', 'never opens a gate before two verifications passed after its last Disconnected'), async () => {
    await fc.assert(
      fc.asyncProperty(
        historyArb,
        deliveryArb,
        fc.array(fc.nat(3), { minLength: 60, maxLength: 60 }),
        async (facts, delivery, turns) => {
          await startOver();
          const endMs = Date.now();
          const services = fleet.devices.slice(0, 4);
          const passes = new Map(services.map(({ serviceId }) => [serviceId, 2]));
          for (const [index, batch] of arrange(name(facts), delivery).entries()) {
            await deliver(batch, endMs);
            for (const { serviceId, id, tunnels } of services) {
              const depends = [id, tunnels[0]?.id];
              const dropped = batch.some(
                (fact) => fact.status === 'disconnected' && depends.includes(subjectIds[fact.subject] ?? 0),
              );
              if (dropped) passes.set(serviceId, 0);
            }
            const verified = services[turns[index % turns.length] ?? 0]?.serviceId ?? 0;
            await verifyService(sql, verified);
            passes.set(verified, Math.min(2, (passes.get(verified) ?? 0) + 1));
            const gates = await sql<{ serviceId: number; open: boolean }[]>`
            select service_id, state in ('open', 'releasing') as open from gate order by service_id`;
            expect(new Map(gates.map((gate) => [gate.serviceId, gate.open]))).toEqual(
              new Map([...passes].map(([serviceId, count]) => [serviceId, count === 2])),
            );
          }
        },
      ),
      { numRuns: 10 },
    );
  }, 180_000);

  it(verifies('I4', 'I5', 'gives the same incidents in any order within one debounce'), async () => {
    await fc.assert(
      fc.asyncProperty(historyArb, deliveryArb, deliveryArb, async (facts, first, second) => {
        const told = name(facts);
        const endMs = Date.now();
        const incidents: unknown[] = [];
        for (const delivery of [first, second]) {
          await startOver();
          for (const batch of arrange(told, delivery)) await deliver(batch, endMs);
          await passTime(sql, POLICIES.fallback.openAfterMs + 1000);
          await correlateAll();
          expect(await sql`select 1 from pending where count > 0`).toHaveLength(0);
          incidents.push(await readIncidents());
        }
        expect(incidents[1]).toEqual(incidents[0]);
      }),
      { numRuns: 20 },
    );
  }, 180_000);
});
