import { applySources, connect, listSourceSecrets, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

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

const source = (secret: string | null) => ({
  name: 'home',
  group: 'home',
  timeZone: 'UTC',
  watch: 'linked' as const,
  secretHash: secret === null ? null : Buffer.from(secret),
});
const live = async () => (await listSourceSecrets(sql)).map((row) => row.lookupHash.toString()).sort();

describe('the path secrets of a source', () => {
  it('cannot be none: a receiver that has none, for a source that has none, says what to do', async () => {
    await expect(applySources(sql, [source(null)])).rejects.toMatchObject({ code: 'source_secret_missing' });
    expect(await live()).toEqual([]);
  });

  it('are left alone by a receiver without one of its own', async () => {
    await applySources(sql, [source('first')]);
    await applySources(sql, [source(null)]);
    expect(await live()).toEqual(['first']);
  });

  it('are two at most, the newest with the one before it', async () => {
    await applySources(sql, [source('second')]);
    expect(await live()).toEqual(['first', 'second']);
    await applySources(sql, [source('third')]);
    expect(await live()).toEqual(['second', 'third']);
  });

  it('stop with their source', async () => {
    await applySources(sql, []);
    expect(await live()).toEqual([]);
  });
});
