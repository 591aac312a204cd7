import { createLogger, createMetrics, parseConfig } from '@tidegate/runtime';
import { beatReceiver, connect, listReceivers, readGates, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plantService } from '../../../../test/support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { watchReceivers } from './watch-receivers.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  await plantService(sql, 'agent');
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
});

async function age(id: string, interval: string): Promise<void> {
  await sql`update receiver set heartbeat_at = clock_timestamp() - ${interval}::interval where id = ${id}`;
}

describe('watching receivers', () => {
  it('tells of each change once, counts the silent, and retires who is silent for too long', async () => {
    const lines: Record<string, unknown>[] = [];
    const log = createLogger({
      app: 'worker',
      level: 'info',
      destination: { write: (line) => lines.push(JSON.parse(line)) },
    });
    const metrics = createMetrics({ app: 'worker' });
    const config = parseConfig({ file: 'x.yaml', source: 'sources: [{ name: home }]', app: 'worker', env: {} });
    const watch = watchReceivers({ sql, config, log, metrics });
    const told = () => lines.splice(0).map(({ event, receiver, level }) => [event, receiver, level]);
    try {
      await beatReceiver(sql, 'rcv_one');
      await beatReceiver(sql, 'rcv_two');
      await watch.look();
      expect(told()).toEqual([]);
      await age('rcv_one', '6 seconds');
      await age('rcv_two', '25 hours');
      const [before] = await readGates(sql, ['agent'], 5000);
      await watch.look();
      await watch.look();
      expect(told()).toEqual([
        ['receiver.retired', 'rcv_two', 'warn'],
        ['receiver.silent', 'rcv_one', 'warn'],
      ]);
      expect(await metrics.text()).toMatch(/^tidegate_gate_silent_receivers(\{.*\})? 1$/m);
      const [after] = await readGates(sql, ['agent'], 5000);
      expect(after?.generation).toBe((before?.generation ?? 0) + 1);
      await beatReceiver(sql, 'rcv_one');
      await watch.look();
      await watch.look();
      expect(told()).toEqual([['receiver.heard', 'rcv_one', 'info']]);
      expect(await metrics.text()).toMatch(/^tidegate_gate_silent_receivers(\{.*\})? 0$/m);
      expect(await listReceivers(sql, 5000)).toMatchObject([{ id: 'rcv_one' }, { id: 'rcv_two', retiredBy: 'worker' }]);
    } finally {
      await watch.stop();
    }
  });
});
