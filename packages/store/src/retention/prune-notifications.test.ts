import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { connect, type Sql } from '../database/connect.ts';
import { prune } from './prune.ts';

const DAY_MS = 86_400_000;
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

async function plant(id: string, thread: string, incident: string | null, days: number): Promise<void> {
  await sql`
    insert into notification (id, thread, incident_id, generation, channel, kind, episode, state, severity, news, acknowledged, message, decided_at, ended_at)
    values (${id}, ${thread}, ${incident}, 1, 'chat', 'open', 0, 'sent', 'info', '', false, '{}', now() - make_interval(days => ${days}), now())`;
}

it('what was told goes with its incident, and what was about none after the same time', async () => {
  for (const [id, days] of [
    ['inc_old', 400],
    ['inc_new', 1],
  ] as const) {
    await sql`insert into incident (id, kind, mass_group, opened_at, summary, state, resolved_at, resolved_by)
              values (${id}, 'mass', ${id}, now(), 'Outage.', 'resolved', now() - make_interval(days => ${days}), 'ver_x')`;
    await plant(`ntf_${id}`, id, id, 500);
  }
  await plant('ntf_review_old', 'rev_1', null, 400);
  await plant('ntf_review_new', 'rev_2', null, 1);
  await prune(sql, {
    observationsMs: DAY_MS,
    incidentsMs: 365 * DAY_MS,
    verificationsMs: DAY_MS,
    callbacksMs: DAY_MS,
    idempotencyMs: DAY_MS,
    quarantineMs: DAY_MS,
  });
  expect((await sql`select id from notification order by id`).map(({ id }) => id)).toEqual([
    'ntf_inc_new',
    'ntf_review_new',
  ]);
  expect((await sql`select thread from notice`).map(({ thread }) => thread)).toEqual(['inc_new']);
});
