import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeWorkerContext } from '../../../../test/support/make-worker-context.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { watchRetention } from './watch-retention.ts';

let database: TestDatabase;
let worker: Awaited<ReturnType<typeof makeWorkerContext>>;
const lines: Record<string, unknown>[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  const log = (line: string) => void lines.push(JSON.parse(line));
  worker = await makeWorkerContext({ databaseUrl: database.url, localtonet: null, log });
}, 60_000);
afterAll(async () => {
  await worker.close();
  await database.drop();
});

describe('watching retention', () => {
  it('prunes by the config, with one line and a count by kind per run', async () => {
    const { context } = worker;
    await context.sql`
      insert into blip (group_id, first_at, last_at, count, recorded_at)
      values (1, now(), now(), 1, now() - interval '91 days'), (1, now(), now(), 1, now() - interval '89 days')`;
    const watch = watchRetention(context);
    try {
      await watch.look();
    } finally {
      await watch.stop();
    }
    expect(lines).toMatchObject([{ event: 'retention.finished', other: 1, observations: 0, incidents: 0 }]);
    expect(await context.sql`select 1 from blip`).toHaveLength(1);
    expect(await context.metrics.text()).toMatch(/tidegate_retention_pruned_total\{[^}]*kind="other"[^}]*\} 1/);
  });
});
