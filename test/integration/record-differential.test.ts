import { randomUUID } from 'node:crypto';
import {
  EMPTY_VIEW,
  type RecordedDelivery,
  type RecordGate,
  type RecordPending,
  type RecordState,
  type RecordTopology,
  recordBatch as referenceBatch,
} from '@tidegate/core';
import { connect, type DeliveryRecord, recordBatch, type Sql } from '@tidegate/store';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

const SETTINGS = { skewBoundMs: 120_000, openAfterMs: 20_000, maxWaitMs: 120_000 };
const START_MS = Date.UTC(2026, 0, 1);

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

/**
 * One linked device with two tunnels, one of them a service's; an unlinked token; a tunnel nobody watches; a watch-all source;
 * services with a device, without one, with one that nobody told of, and with a name that several devices share.
 */
async function plant(): Promise<RecordTopology> {
  await sql`truncate observation, observation_key, delivery, connectivity, pending, dependency, gate, service, subject, source restart identity cascade`;
  await sql`insert into source (name, group_name, time_zone, watch) values ('a', 'g', 'UTC', 'linked'), ('b', 'h', 'UTC', 'all')`;
  const subjects = [
    ['device', 'g', null, true],
    ['tunnel', 'g', 1, true],
    ['tunnel', 'g', 1, true],
    ['device', 'g', null, false],
    ['tunnel', 'g', null, false],
    ['tunnel', 'h', null, false],
  ] as const;
  for (const [index, [type, group, deviceId, linked]] of subjects.entries()) {
    await sql`insert into subject (alias, type, group_name, fingerprint_version, fingerprint, device_id, linked_at)
              values (${`s${index}`}, ${type}, ${group}, 1, ${Buffer.from([index])}, ${deviceId}, ${linked ? new Date() : null})`;
  }
  const services = [
    { deviceRef: 'x', deviceId: 1 },
    { deviceRef: null, deviceId: null },
    { deviceRef: 'y', deviceId: null },
    { deviceRef: 'z', deviceId: null },
  ];
  for (const [index, { deviceRef, deviceId }] of services.entries()) {
    const openAfterMs = 20_000 + index * 5000;
    await sql`insert into service (name, source_name, group_name, device_ref, device_id, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
              values (${`v${index}`}, 'a', 'g', ${deviceRef}, ${deviceId}, 'default', ${openAfterMs}, 60000, 5000, '')`;
  }
  await sql`insert into dependency (subject_id, service_id, origin) values (1, 1, 'api'), (2, 1, 'config')`;
  // Two devices share the name that the last service gives, so it has edges and no device of its own.
  await sql`insert into dependency (subject_id, service_id, origin, device_ref) values (1, 4, 'api', 'z')`;
  const plain = { group: 'g', maxWaitMs: 60_000, verifyEveryMs: 5000 };
  return {
    subjects: new Map(
      subjects.map(([type, group, deviceId, linked], index) => [index + 1, { type, group, deviceId, linked }]),
    ),
    services: new Map([
      [1, { ...plain, deviceLinked: true, namesUnknown: false, openAfterMs: 20_000 }],
      [2, { ...plain, deviceLinked: false, namesUnknown: false, openAfterMs: 25_000 }],
      [3, { ...plain, deviceLinked: false, namesUnknown: true, openAfterMs: 30_000 }],
      [4, { ...plain, deviceLinked: false, namesUnknown: false, openAfterMs: 35_000 }],
    ]),
    dependencies: new Map([
      [1, new Set([1, 4])],
      [2, new Set([1])],
    ]),
    watchAll: new Set([2]),
  };
}

async function plantGates(gates: ReadonlyMap<number, RecordGate>): Promise<void> {
  for (const [id, gate] of gates) {
    const hand = gate.reason === 'held_by_hand' ? 'held' : gate.reason === 'forced_open' ? 'open' : null;
    const by = hand === null ? null : 'planted';
    await sql`insert into gate (service_id, hand, hand_actor, hand_reason, hand_expires_at, state, reason, generation, since, verify_due_at,
                                verify_attempt, opened_by_started_at)
              values (${id}, ${hand}, ${by}, ${by}, ${hand === null ? null : new Date(START_MS)}, ${gate.state}, ${gate.reason}, ${gate.generation}, ${new Date(gate.sinceMs)},
                      ${gate.verifyDueAtMs === null ? null : new Date(gate.verifyDueAtMs)}, ${gate.verifyAttempt},
                      ${gate.openedByStartedAtMs === null ? null : new Date(gate.openedByStartedAtMs)})`;
  }
}

const LOOK_AGAIN: RecordPending = {
  firstAtMs: START_MS - 60_000,
  lastAtMs: START_MS - 60_000,
  count: 0,
  disconnects: 0,
  dueAtMs: START_MS + 480_000,
};

async function plantLookAgain(groupIds: readonly number[]): Promise<void> {
  const { firstAtMs, lastAtMs, dueAtMs } = LOOK_AGAIN;
  for (const groupId of groupIds)
    await sql`insert into pending (group_id, first_at, last_at, count, disconnects, due_at)
              values (${groupId}, ${new Date(firstAtMs)}, ${new Date(lastAtMs)}, 0, 0, ${new Date(dueAtMs)})`;
}

async function readState(): Promise<RecordState> {
  const observations = await sql`select key, first_delivery_id from observation_key join observation using (key)`;
  const deliveries = await sql`select id from delivery`;
  const views = await sql`select *, ticks::text from connectivity`;
  const gates = await sql`select * from gate`;
  const pending = await sql`select * from pending`;
  return {
    firstDelivery: new Map(observations.map((row) => [row.key, row.firstDeliveryId])),
    deliveries: new Set(deliveries.map((row) => row.id)),
    views: new Map(
      views.map((row) => [
        row.subjectId,
        {
          ...EMPTY_VIEW,
          latest:
            row.observationKey === null
              ? null
              : {
                  ticks: BigInt(row.ticks),
                  status: row.disconnected ? 'disconnected' : 'connected',
                  key: row.observationKey,
                },
          suspectDisconnected: row.suspectDisconnected,
          suspectConnected: row.suspectConnected,
        },
      ]),
    ),
    gates: new Map(
      gates.map((row) => [
        row.serviceId,
        {
          state: row.state,
          reason: row.reason,
          generation: row.generation,
          sinceMs: row.since.getTime(),
          verifyDueAtMs: row.verifyDueAt?.getTime() ?? null,
          verifyAttempt: row.verifyAttempt,
          openedByStartedAtMs: row.openedByStartedAt?.getTime() ?? null,
        },
      ]),
    ),
    pending: new Map(
      pending.map((row) => [
        row.groupId,
        {
          firstAtMs: row.firstAt.getTime(),
          lastAtMs: row.lastAt.getTime(),
          count: row.count,
          disconnects: row.disconnects,
          dueAtMs: row.dueAt.getTime(),
        },
      ]),
    ),
  };
}

const KEYS = Array.from({ length: 16 }, () => randomUUID());
/** Around the skew bound of two minutes, on both sides, and equal for many: ties are where a fold goes wrong. */
const OFFSETS_S = [-7200, -121, -120, -1, 0, 0, 0, 119, 120, 121, 86_400];

type Fact = Omit<RecordedDelivery, 'deliveryId' | 'observationKey'>;

const factArb: fc.Arbitrary<Fact> = fc
  .record({
    subjectId: fc.integer({ min: 1, max: 6 }),
    disconnected: fc.boolean(),
    offsetS: fc.constantFrom(...OFFSETS_S),
    subTick: fc.nat(1),
    zone: fc.constantFrom('utc', 'offset', 'assumed', null),
  })
  .map(({ subjectId, disconnected, offsetS, subTick, zone }) => ({
    subjectId,
    sourceId: subjectId === 6 ? 2 : 1,
    status: disconnected ? 'disconnected' : 'connected',
    ticks: zone === null ? null : BigInt(START_MS + offsetS * 1000) * 10_000n + BigInt(subTick),
    zone,
  }));

const gateArb: fc.Arbitrary<RecordGate> = fc
  .record({
    state: fc.constantFrom('open', 'releasing', 'held', 'verifying'),
    byHand: fc.boolean(),
    proved: fc.boolean(),
    offset: fc.constantFrom(-200, -120, -1, 0, 119),
  })
  .map(({ state, byHand, proved, offset }) => {
    const open = state === 'open' || state === 'releasing';
    const forced = open && byHand;
    return {
      state,
      reason: reasonOf(open, byHand, state),
      generation: 3,
      sinceMs: START_MS - 600_000,
      verifyDueAtMs: byHand && state === 'held' ? null : START_MS + 3000,
      verifyAttempt: 2,
      openedByStartedAtMs: open && (!forced || proved) ? START_MS + offset * 1000 : null,
    } as RecordGate;
  });

function reasonOf(open: boolean, byHand: boolean, state: string): string {
  if (open) return byHand ? 'forced_open' : 'verified';
  return byHand && state === 'held' ? 'held_by_hand' : 'never_verified';
}

/** A key stands for one fact throughout a history, so that a key drawn again is an exact repeat. */
const historyArb = fc.record({
  gates: fc.tuple(gateArb, gateArb, gateArb, gateArb),
  /** Groups that are only to be looked at again, as a flapping one is, when the history begins. */
  lookAgain: fc.subarray([1, 4, 6]),
  facts: fc.array(factArb, { minLength: KEYS.length, maxLength: KEYS.length }),
  batches: fc.array(
    fc.record({
      drawn: fc.array(fc.nat(KEYS.length - 1), { minLength: 1, maxLength: 8 }),
      gapMs: fc.nat(30_000),
      resend: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

describe('recording in SQL and the pure reference', () => {
  it(verifies('I2', 'I5', 'I10', 'agree on random histories of batches, repeats and re-sent batches'), async () => {
    await fc.assert(
      fc.asyncProperty(historyArb, async ({ gates, lookAgain, facts, batches }) => {
        const topology = await plant();
        const planted = new Map(gates.map((gate, index) => [index + 1, gate]));
        await plantGates(planted);
        await plantLookAgain(lookAgain);
        let state: RecordState = {
          firstDelivery: new Map(),
          deliveries: new Set(),
          views: new Map(),
          gates: planted,
          pending: new Map(lookAgain.map((groupId) => [groupId, LOOK_AGAIN])),
        };
        let nowMs = START_MS;
        for (const batch of batches) {
          nowMs += batch.gapMs;
          const deliveries = batch.drawn.map((index) => ({
            ...(facts[index] as Fact),
            observationKey: KEYS[index] ?? '',
            deliveryId: randomUUID(),
          }));
          // A batch whose COMMIT outcome was unknown is sent again as it is.
          for (let sent = 0; sent < (batch.resend ? 2 : 1); sent += 1) {
            const expected = referenceBatch(state, topology, deliveries, SETTINGS, nowMs);
            const answer = await recordBatch(sql, deliveries.map(toRecord), SETTINGS, new Date(nowMs));
            state = expected.state;
            expect(answer.repeats).toEqual(expected.repeats);
            expect(sorted(await readState())).toEqual(sorted(state));
          }
        }
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});

function toRecord(delivery: RecordedDelivery): DeliveryRecord {
  return { ...delivery, actionDate: 'x', sealedActionDate: null, extraFields: null, extraUnnamed: 0 };
}

/** Maps compare by insertion order in some matchers; make the comparison about content alone. */
function sorted(state: RecordState): unknown {
  const entries = (map: ReadonlyMap<unknown, unknown>) =>
    [...map].map(([key, value]) => [String(key), value]).sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1));
  return {
    firstDelivery: entries(state.firstDelivery),
    deliveries: [...state.deliveries].sort(),
    views: entries(state.views),
    gates: entries(state.gates),
    pending: entries(state.pending),
  };
}
