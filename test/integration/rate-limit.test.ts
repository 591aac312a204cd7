import { connect, holdSourceGates, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PlantedService, plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

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
