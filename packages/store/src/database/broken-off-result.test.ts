import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { connect, type Sql } from './connect.ts';

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 1 });
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
});

describe('a result that breaks off after its first row', () => {
  it('leaves nothing to the next on its connection, when the statement fails', async () => {
    await expect(sql`select 1 / (2 - x) as y from generate_series(1, 2) x`).rejects.toMatchObject({ code: '22012' });
    expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }]);
  });

  it('leaves nothing to whoever connects after it, when the connection is cut', async () => {
    for (let round = 0; round < 3; round += 1) {
      await expect(
        sql`select x, case when x = 2 then pg_terminate_backend(pg_backend_pid()) end from generate_series(1, 3) x`,
      ).rejects.toMatchObject({ code: expect.stringMatching(/57P01|CONNECTION_CLOSED/) });
      expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }]);
      expect([...(await sql`select 2 as two`)]).toEqual([{ two: 2 }]);
    }
  });
});
