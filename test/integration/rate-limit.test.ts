import { randomUUID } from 'node:crypto';
import { claimVerifications, connect, holdSourceGates, listIncidents, readIncident, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';
import { endVerification, openByVerification, verifyService } from '../support/verify-service.ts';

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

const gate = async () =>
  (
    await sql`select state, reason, generation, hand, verify_run, verify_due_at <= clock_timestamp() as due from gate`
  )[0];
const set = (state: string) =>
  sql`update gate set state = ${state}, reason = 'verified', hand = null, hand_actor = null, hand_reason = null, hand_expires_at = null, verify_run = 'ver_running',
    verify_due_at = clock_timestamp() + interval '5 minutes'`;

describe('the gates of a source that is not listened to', () => {
  it.each(['open', 'releasing', 'verifying', 'held'])(
    verifies('I2', 'are held under a new generation and due for a verification, from %s'),
    async (state) => {
      await set(state);
      const before = await gate();
      const { shut, verifyDue } = await holdSourceGates(sql, [planted.sourceId, planted.sourceId]);
      expect(shut).toEqual(state === 'open' || state === 'releasing' ? ['agent'] : []);
      expect(verifyDue).toHaveLength(1);
      expect(await gate()).toEqual({
        state: 'held',
        reason: 'rate_limited',
        generation: before?.generation + 1,
        hand: null,
        verifyRun: null,
        due: true,
      });
    },
  );

  it('stay open where a person forced them open', async () => {
    await sql`update gate set state = 'open', reason = 'forced_open', hand = 'open', hand_actor = 'ada', hand_reason = 'test',
      hand_expires_at = clock_timestamp() + interval '1 hour', verify_run = null, opened_by = null`;
    expect((await holdSourceGates(sql, [planted.sourceId])).shut).toEqual([]);
    expect(await gate()).toMatchObject({ state: 'open', hand: 'open' });
  });

  it('are those of its group alone', async () => {
    await set('open');
    const [other] = await sql`
      insert into source (name, group_name, time_zone, watch) values ('other', 'other', 'UTC', 'linked') returning id`;
    const before = await gate();
    expect(await holdSourceGates(sql, [other?.id])).toEqual({ shut: [], verifyDue: [] });
    expect(await gate()).toEqual(before);
  });
});

describe('a source that stays over its limit', () => {
  const incidents = async (state: 'open' | 'resolved') =>
    (await listIncidents(sql, { state, cursor: null, limit: 9, services: null })).items;
  const overtaken = async () => {
    await holdSourceGates(sql, [planted.sourceId]);
    const [run] = await claimVerifications(sql, [`ver_${randomUUID().slice(0, 8)}`], 60_000);
    if (run === undefined) throw new Error('nothing was due');
    await holdSourceGates(sql, [planted.sourceId]);
    return endVerification(sql, run);
  };
  const passedOnce = async () => {
    await holdSourceGates(sql, [planted.sourceId]);
    return verifyService(sql, planted.serviceId);
  };

  it.each([
    ['overtaken', overtaken],
    ['taken back after a pass', passedOnce],
  ])(
    'is told of when every verification is %s for so long, once, and is over when one opens the gate',
    async (_, run) => {
      await sql`truncate incident, incident_service, incident_subject, timeline_entry, verification cascade`;
      await sql`update gate set state = 'held', reason = 'rate_limited', hand = null, hand_actor = null, hand_reason = null, hand_expires_at = null,
      verify_run = null, since = clock_timestamp()`;
      await passTime(sql, 110_000);
      expect((await run()).openedIncident).toBeNull();
      await passTime(sql, 20_000);
      const { openedIncident } = await run();
      expect(await incidents('open')).toMatchObject([{ id: openedIncident, services: ['agent'] }]);
      await passTime(sql, 600_000);
      expect((await run()).openedIncident).toBeNull();
      expect(await incidents('open')).toMatchObject([
        { summary: expect.stringContaining('posts more often than receiver.rateLimit allows') },
      ]);
      const { timeline } = (await readIncident(sql, openedIncident ?? '', null)) ?? { timeline: [] };
      expect(timeline[0]).toMatchObject({ event: 'incident.opened' });
      await openByVerification(sql, planted.serviceId);
      expect([await incidents('open'), (await incidents('resolved')).length]).toEqual([[], 1]);
    },
  );

  it('is no news while a person holds the gate, or when the service is gone', async () => {
    await sql`truncate incident, incident_service, incident_subject, timeline_entry, verification cascade`;
    for (const change of [
      sql`update gate set state = 'held', hand = 'held', hand_actor = 'ada', hand_reason = 'move', reason = 'held_by_hand',
          hand_expires_at = clock_timestamp() + interval '1 day', generation = generation + 1, verify_run = null, verify_due_at = null`,
      sql`update service set retired_at = clock_timestamp()`,
    ]) {
      await sql`update service set retired_at = null`;
      await sql`update gate set state = 'held', reason = 'rate_limited', hand = null, hand_actor = null, hand_reason = null, hand_expires_at = null,
        verify_run = null, verify_due_at = clock_timestamp()`;
      const [run] = await claimVerifications(sql, [`ver_${randomUUID().slice(0, 8)}`], 60_000);
      if (run === undefined) throw new Error('nothing was due');
      await change;
      await sql`update gate set generation = generation + 1`;
      await passTime(sql, 600_000);
      expect(await endVerification(sql, run)).toMatchObject({
        settlement: { kind: 'overtaken' },
        openedIncident: null,
      });
    }
    expect(await incidents('open')).toEqual([]);
  });
});
