import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createLogger, parseConfig, readProcessEnv } from '@tidegate/runtime';
import { claimKeyring, connect } from '@tidegate/store';
import { expect, it, onTestFinished } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { createTestDatabase } from '../../../../test/support/test-database.ts';
import { prepareStore } from './prepare-store.ts';
import { toUpSettings } from './up-settings.ts';

it('makes no keyring beside a database that belongs to one', async () => {
  const [database, dataDir] = [await createTestDatabase(), await makeTempFolder('prepare')];
  const sql = connect(database.url, { application: 'test', connections: 1 });
  onTestFinished(async () => {
    await sql.end();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const prepare = () =>
    prepareStore({
      settings: toUpSettings({ dataDir }, readProcessEnv({})),
      config: parseConfig({ file: 'x.yaml', app: 'cli', env: {}, source: 'sources: [{ name: home-lab }]\n' }),
      databaseUrl: database.url,
      log: createLogger({ app: 'test', level: 'silent' }),
    });
  await claimKeyring(sql, 'kr_first');
  await expect(prepare()).rejects.toMatchObject({ code: 'keyring_mismatch' });
  expect(await readdir(dataDir)).toEqual([]);
  await sql`delete from installation`;
  expect((await prepare()).keyringCreated).toBe(true);
  expect((await prepare()).keyringCreated).toBe(false);
  expect(await readdir(join(dataDir, 'keyring'))).not.toEqual([]);
});
