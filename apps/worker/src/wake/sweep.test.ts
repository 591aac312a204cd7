import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliver, plantService } from '../../../../test/support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { sweep } from './sweep.ts';

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

describe('the sweep', () => {
  it(
    verifies('I12', 'wakes every room with something overdue, although every alarm was lost and none can be set'),
    async () => {
      const planted = await plantService(sql, 'agent');
      await deliver(sql, planted, { status: 'disconnected' });
      await sql`update pending set due_at = clock_timestamp()`;
      await sql`update gate set verify_due_at = clock_timestamp()`;
      await sql`insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url, sealed_headers,
                sealed_idempotency_key, created_at, due_at)
              values ('cb_x', ${planted.serviceId}, 'k', 'p', 'queued', 'POST', 'https://receiver.example', 'unsafe', 'forbidden', 's', 's', 's',
                clock_timestamp(), clock_timestamp())`;
      const woken: string[] = [];
      const drain = (room: string) => ({
        wake: async () => void woken.push(room),
        stop: async () => undefined,
      });
      const drains = {
        correlate: drain('correlate'),
        verify: drain('verify'),
        release: drain('release'),
        notify: drain('notify'),
      };
      await sql`insert into notice (thread, incident_id, due_at) values ('inc_x', 'inc_x', clock_timestamp())`;
      const lost = { publish: () => Promise.reject(new Error('the queue is gone')) };
      await sweep({ sql, queue: lost }, drains, () => undefined);
      expect(woken.sort()).toEqual(['correlate', 'notify', 'release', 'verify']);
    },
  );

  it('wakes nobody before the time, and sets an alarm for it', async () => {
    await sql`delete from callback`;
    await sql`delete from notice`;
    await sql`update pending set due_at = clock_timestamp() + interval '1 minute'`;
    await sql`update gate set verify_due_at = null`;
    const alarms: unknown[] = [];
    const queue = { publish: async (ahead: readonly unknown[]) => void alarms.push(...ahead) };
    const never = { wake: () => Promise.reject(new Error('woken')), stop: async () => undefined };
    await sweep({ sql, queue }, { correlate: never, verify: never, release: never, notify: never }, (error) => {
      throw error;
    });
    expect(alarms).toEqual([{ room: 'correlate', dueAtMs: expect.any(Number) }]);
  });
});
