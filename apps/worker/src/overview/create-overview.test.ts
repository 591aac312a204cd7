import { createMetrics } from '@tidegate/runtime';
import { connect, nextDue, type Sql } from '@tidegate/store';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { deliver, type PlantedService, plantService } from '../../../../test/support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { createOverview } from './create-overview.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;
const metrics = createMetrics({ app: 'worker' });

beforeEach(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 2 });
  planted = await plantService(sql, 'agent');
});
afterEach(async () => {
  await sql.end();
  await database.drop();
});

/** The value of a metric whose labels include these. */
async function read(name: string, labels = ''): Promise<number> {
  const line = (await metrics.text()).split('\n').find((one) => one.startsWith(`${name}{`) && one.includes(labels));
  return Number(line?.split(' ').at(-1) ?? Number.NaN);
}

it('shows what waits in the store: gates, hands, incidents, callbacks, the oldest of each', async () => {
  await deliver(sql, planted, { status: 'disconnected' });
  await sql`update pending set due_at = clock_timestamp() - interval '90 seconds'`;
  await sql`update gate set reason = 'held_by_hand', hand = 'held', hand_actor = 'ada', hand_reason = 'x', hand_expires_at = now() + interval '1 hour'`;
  await sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_a', 'tunnel', ${planted.tunnelId}, now(), 'Down.')`;
  await createOverview({ sql, metrics }).show();
  expect(await read('tidegate_gate_gates', 'state="held"')).toBe(1);
  expect(await read('tidegate_gate_gates', 'state="open"')).toBe(0);
  expect(await read('tidegate_gate_hands', 'hand="held"')).toBe(1);
  expect(await read('tidegate_correlate_incidents', 'state="open"')).toBe(1);
  expect(await read('tidegate_release_waiting_callbacks', 'state="needs_review"')).toBe(0);
  expect(await read('tidegate_correlate_oldest_unprocessed_seconds')).toBeGreaterThanOrEqual(90);
  expect(await read('tidegate_release_oldest_held_seconds')).toBe(0);
});

it('shows how late each room and each alarm is, and how long ago a sweep was', async () => {
  await deliver(sql, planted, { status: 'disconnected' });
  await sql`update pending set due_at = clock_timestamp() - interval '30 seconds'`;
  const overview = createOverview({ sql, metrics });
  overview.swept(await nextDue(sql));
  overview.rang('verify', Date.now() - 2000);
  expect(await read('tidegate_queue_overdue_seconds', 'room="correlate"')).toBeGreaterThanOrEqual(30);
  expect(await read('tidegate_queue_overdue_seconds', 'room="release"')).toBe(0);
  expect(await read('tidegate_queue_lag_seconds_sum', 'room="verify"')).toBeGreaterThanOrEqual(2);
  expect(overview.sweptAgoMs()).toBeLessThan(5000);
});

it('tells of a room that has had work for a minute and ended no round in it, and of none that is merely behind', async () => {
  await deliver(sql, planted, { status: 'disconnected' });
  await sql`update pending set due_at = clock_timestamp() - interval '1 hour'`;
  const overview = createOverview({ sql, metrics });
  const due = await nextDue(sql);
  const startedAtMs = performance.now();
  const clock = vi.spyOn(performance, 'now');
  const at = (seconds: number) => clock.mockReturnValue(startedAtMs + seconds * 1000);
  at(0);
  overview.swept(due);
  at(59);
  expect(overview.stuckRoom()).toBeNull();
  at(61);
  overview.swept(due);
  expect(overview.stuckRoom()).toBe('correlate');
  expect(await read('tidegate_queue_stalled_seconds', 'room="correlate"')).toBeCloseTo(61);
  expect(await read('tidegate_queue_stalled_seconds', 'room="notify"')).toBe(0);
  overview.ran('correlate');
  overview.ran('verify');
  overview.swept(due);
  at(100);
  expect(overview.stuckRoom()).toBeNull();
  clock.mockRestore();
});

it('shows nothing of the store while it does not answer, rather than what it knew last', async () => {
  await createOverview({ sql, metrics }).show();
  expect(await metrics.text()).toMatch(/^tidegate_gate_gates\{/m);
  await sql.end();
  await expect(createOverview({ sql, metrics }).show()).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await metrics.text()).not.toMatch(
    /^tidegate_(gate_gates|gate_hands|correlate_incidents|release_waiting_callbacks|\w+_oldest_(unprocessed|held)_seconds)\{/m,
  );
});
