import { rm } from 'node:fs/promises';
import { connect, type Sql } from '@tidegate/store';
import { createKeyring, createSealer, type Keyring, loadKeyring, type Sealer } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { createSubjectDirectory, nameSubject } from './subject-directory.ts';

/** The first test file of a run waits for its database server. */
const START_MS = 60_000;

let folder: string;
let database: TestDatabase;
let sql: Sql;
let keyring: Keyring;
let sealer: Sealer;

beforeAll(async () => {
  folder = await makeTempFolder('subjects');
  await createKeyring(`${folder}/keyring`);
  keyring = await loadKeyring(`${folder}/keyring`);
  sealer = createSealer({ keyring, saveDataKey: async () => undefined, now: Date.now });
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 2 });
}, START_MS);
afterAll(async () => {
  await sql.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

const token = (id: string, group = 'g') => nameSubject(keyring, { group, type: 'device', id });
const tunnel = (id: string, group = 'g') => nameSubject(keyring, { group, type: 'tunnel', id });

const naming = () => ({ keyring, sealer, dataKeys: { owes: () => false, settle: async () => undefined } });

describe('the subject directory', () => {
  it('gives one id per subject, the same to every process and for every repeat', async () => {
    const subjects = [token('t1'), tunnel('1'), token('t1'), tunnel('2'), tunnel('1')];
    const [first, second] = [createSubjectDirectory(sql, naming()), createSubjectDirectory(sql, naming())];
    const [ids, others] = await Promise.all([first.resolve(subjects), second.resolve(subjects)]);
    expect(others).toEqual(ids);
    expect(ids[2]).toBe(ids[0]);
    expect(ids[4]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
    expect(await first.resolve([tunnel('2')])).toEqual([ids[3]]);
  });

  it('takes no two subjects for one', async () => {
    const directory = createSubjectDirectory(sql, naming());
    const subjects = [
      tunnel('7'),
      token('7'),
      tunnel('7', 'h'),
      tunnel('07'),
      tunnel('7 g'),
      tunnel('-7'),
      token('7', 'h'),
    ];
    expect(new Set(await directory.resolve(subjects)).size).toBe(subjects.length);
  });

  it(verifies('I3', 'remembers and stores a token only keyed and sealed; a tunnel number as it is'), async () => {
    const secret = 'a-token-that-is-a-credential';
    const named = [token(secret), tunnel('298487'), tunnel('not-a-number')];
    expect(named[0]?.cacheKey).not.toContain(secret);
    expect(named[2]?.cacheKey).not.toContain('not-a-number');
    await createSubjectDirectory(sql, naming()).resolve(named);
    const rows = await sql`select * from subject where public_id = '298487' or sealed_id is not null`;
    const text = rows.map((row) =>
      JSON.stringify(row, (_, value) => (Buffer.isBuffer(value) ? value.toString('latin1') : value)),
    );
    expect(text.join()).toContain('298487');
    expect(text.join()).not.toContain(secret);
    expect(text.join()).not.toContain('not-a-number');
  });

  it('fails as the store fails, and knows nothing more for it', async () => {
    const away = connect('postgres://nobody@127.0.0.1:1/none', { application: 'test', connections: 1 });
    const directory = createSubjectDirectory(away, naming());
    await expect(directory.resolve([tunnel('3')])).rejects.toMatchObject({
      code: 'store_unavailable',
      retryable: true,
    });
    await away.end({ timeout: 0 });
  });
});
