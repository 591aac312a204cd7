import { join } from 'node:path';
import { type ProcessEnv, readProcessEnv } from '@tidegate/runtime';
import { connect, type Sql } from '@tidegate/store';
import { type Keyring, loadKeyring } from '@tidegate/vault';
import { fail, failFor } from '../output/fail.ts';
import { readDatabaseSecret } from '../up/database-secret.ts';

/** Runs a command against the database of this data folder, running or named by DATABASE_URL; failures become one sentence. */
export async function withStore(work: (sql: Sql, keyring: Keyring, env: ProcessEnv) => Promise<void>): Promise<void> {
  try {
    const env = readProcessEnv();
    const url = env.databaseUrl ?? (await readDatabaseSecret(env.dataDir));
    if (url === null) {
      fail(`No database runs for ${env.dataDir}: start Tidegate, set TIDEGATE_DATA_DIR, or set DATABASE_URL.`, 1);
      return;
    }
    const keyring = await loadKeyring(join(env.dataDir, 'keyring'));
    const sql = connect(url, { application: 'cli', connections: 2 });
    try {
      await work(sql, keyring, env);
    } finally {
      await sql.end({ timeout: 3 });
    }
  } catch (error) {
    failFor('tidegate', error);
  }
}
