import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { migrate } from '@tidegate/store';
import postgres from 'postgres';
import { sharedPostgresUrl } from './shared-servers.ts';

export interface TestDatabase {
  url: string;
  /** Ends what is still connected and removes the database; safe to call twice. */
  drop(): Promise<void>;
}

const MIGRATIONS = fileURLToPath(new URL('../../packages/store/migrations', import.meta.url));

/** How long a template may still be in use by the connection that migrated it. */
const TEMPLATE_BUSY_MS = 5_000;

/**
 * The URL of a template database, made once per test run: `prepare(url)` (say the store's `migrate`) fills it, and must have
 * closed its connections when it resolves. Callers in other test files wait for the first one. `name`: a–z, 0–9, `_`.
 */
export async function prepareTemplate(name: string, prepare: (url: string) => Promise<unknown>): Promise<string> {
  const server = await sharedPostgresUrl();
  const template = `template_${name}`;
  return withConnection(server, async (sql) => {
    await sql`select pg_advisory_lock(hashtext(${template}))`;
    const [existing] = await sql`select 1 from pg_database where datname = ${template}`;
    if (existing === undefined) {
      const draft = `draft_${name}_${randomBytes(4).toString('hex')}`;
      await sql`create database ${sql(draft)}`;
      await prepare(withDatabase(server, draft));
      await whileInUse(() => sql`alter database ${sql(draft)} rename to ${sql(template)}`);
    }
    return withDatabase(server, template);
  });
}

/** A database of your own, copied from the template (about 0.1 s). Drop it when the test file ends. */
export async function cloneDatabase(templateUrl: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const template = new URL(templateUrl).pathname.slice(1);
  const server = withDatabase(templateUrl, 'tidegate');
  await withConnection(server, (sql) => whileInUse(() => sql`create database ${sql(name)} template ${sql(template)}`));
  return {
    url: withDatabase(server, name),
    drop: () => withConnection(server, (sql) => dropDatabase(sql, name)),
  };
}

/**
 * Without `with (force)`: that asks to end whoever is connected, and is refused when this is the server's own autovacuum. A
 * plain drop sends that one away itself, and waits until those that are ending have left.
 */
async function dropDatabase(sql: postgres.Sql, name: string): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name} and usename = current_user`;
  await sql`drop database if exists ${sql(name)}`;
}

/** A fresh database with Tidegate's schema, copied from a template that is migrated once per server. Drop it when done. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return cloneDatabase(await prepareTemplate(`store_${hashMigrations()}`, migrate));
}

/** Trees whose migrations differ may share a server. */
function hashMigrations(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(MIGRATIONS).toSorted())
    if (name.endsWith('.sql')) hash.update(readFileSync(join(MIGRATIONS, name)));
  return hash.digest('hex').slice(0, 12);
}

function withDatabase(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href;
}

async function withConnection<T>(url: string, use: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await use(sql);
  } finally {
    await sql.end();
  }
}

/** Postgres copies or renames a database only while nobody is connected to it (55006: object in use). */
async function whileInUse(run: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + TEMPLATE_BUSY_MS;
  for (;;) {
    try {
      await run();
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || performance.now() > deadline) throw error;
      await delay(50);
    }
  }
}
