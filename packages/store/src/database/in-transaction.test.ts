import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { connect, type Sql } from './connect.ts';
import { inTransaction } from './in-transaction.ts';

let database: TestDatabase;
let sql: Sql;
let other: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'victim', connections: 1 });
  other = connect(database.url, { application: 'other', connections: 1 });
  await other`create table scratch (n int primary key)`;
}, 60_000);
afterAll(async () => {
  await sql.end({ timeout: 3 });
  await other.end();
  await database.drop();
});

async function sleeping(): Promise<number> {
  const rows =
    await other`select 1 from pg_stat_activity where application_name = 'tidegate-victim' and state = 'active' and query like '%pg_sleep%'`;
  return rows.length;
}

describe('a transaction', () => {
  it('whose connection is lost rejects, leaves nothing behind, and does not end the process', async () => {
    for (let round = 0; round < 4; round += 1) {
      const failed = inTransaction(sql, async (tx) => {
        await tx`insert into scratch values (1)`;
        await tx`select pg_sleep(20)`;
      }).catch((error: unknown) => error);
      await expect.poll(sleeping, { timeout: 10_000 }).toBe(1);
      await other`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidegate-victim'`;
      expect(await failed).toMatchObject({ code: 'store_unavailable', retryable: true });
      // Of a pool of one connection, so none is lost with it. Its next query may still be told of the end of the one before.
      const left = () => inTransaction(sql, async (tx) => (await tx`select * from scratch`).length).catch(() => null);
      await expect.poll(left, { timeout: 10_000 }).toBe(0);
    }
  });

  it('whose work fails is rolled back, and its connection serves on', async () => {
    for (let round = 0; round < 4; round += 1) {
      const failed = inTransaction(sql, async (tx) => {
        await tx`insert into scratch values (2)`;
        throw new Error('on purpose');
      });
      await expect(failed).rejects.toMatchObject({ code: 'store_failed' });
      const refused = inTransaction(sql, (tx) => tx`insert into scratch values (null)`);
      await expect(refused).rejects.toMatchObject({ detail: '23502' });
    }
    expect(await sql`select * from scratch`).toEqual([]);
  });
});
