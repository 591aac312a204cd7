import { rm } from 'node:fs/promises';
import { applySources, connect, type Sql } from '@tidegate/store';
import { createKeyring, type Keyring, loadKeyring, lookupHash } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { createSourceDirectory } from './source-directory.ts';

/** The first test file of a run waits for its database server. */
const START_MS = 60_000;

let folder: string;
let database: TestDatabase;
let sql: Sql;
let keyring: Keyring;

beforeAll(async () => {
  folder = await makeTempFolder('sources');
  await createKeyring(`${folder}/keyring`);
  keyring = await loadKeyring(`${folder}/keyring`);
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 2 });
}, START_MS);
afterAll(async () => {
  await sql.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

function configure(secrets: Readonly<Record<string, string>>): Promise<void> {
  return applySources(
    sql,
    Object.entries(secrets).map(([name, secret]) => ({
      name,
      group: name,
      timeZone: 'UTC',
      watch: 'linked' as const,
      secretHash: lookupHash(keyring, 'source-secret', secret),
    })),
  );
}

describe('the source directory', () => {
  it('finds each source by its secret, the first time as every other time, and nothing by anything else', async () => {
    const secrets = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`s${index}`, `invented-secret-${index}`]),
    );
    await configure(secrets);
    const directory = await createSourceDirectory(sql, keyring);
    for (let times = 0; times < 3; times += 1) {
      for (const [name, secret] of Object.entries(secrets)) expect(directory.find(secret)?.name).toBe(name);
      for (const guess of [
        '',
        'invented-secret-',
        'invented-secret-12',
        'INVENTED-SECRET-1',
        'invented-secret-1\u0000',
        '\ud800',
      ]) {
        expect(directory.find(guess)).toBeNull();
      }
    }
  });

  it('forgets a secret with the next refresh after it was retired', async () => {
    await configure({ lab: 'the-first-secret', other: 'another-secret' });
    const directory = await createSourceDirectory(sql, keyring);
    expect(directory.find('another-secret')?.name).toBe('other');
    await configure({ lab: 'the-first-secret' });
    await directory.refresh();
    expect(directory.find('another-secret')).toBeNull();
    expect(directory.find('the-first-secret')?.name).toBe('lab');
  });

  it('keeps what it knows while the store is away', async () => {
    await configure({ lab: 'the-first-secret' });
    const own = connect(database.url, { application: 'test', connections: 1 });
    const directory = await createSourceDirectory(own, keyring);
    await own.end();
    await expect(directory.refresh()).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(directory.find('the-first-secret')?.name).toBe('lab');
  });
});
