import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@tidegate/core';
import postgres from 'postgres';
import { createDial, type DialOptions } from './dial.ts';
import { appliedMigrations, knownMigrations, MIGRATIONS_FOLDER } from './list-migrations.ts';
import { toStoreError } from './store-error.ts';

/** Any two processes that migrate must meet on the same number. */
const LOCK = 7_413_001;
const LOCK_EVERY_MS = 100;
export const OLDEST_SERVER = 140_000;
/** A migration may rewrite a big table, and says nothing meanwhile. */
const APPLYING_SILENCE_MS = 3_600_000;

/**
 * Brings the schema to this code's version, one process at a time (advisory lock).
 * @param silenceMs after which a connection counts as lost while nothing is being applied; 20 s unless given
 * @returns how many migrations were applied
 * @throws AppError `schema_newer` when the database was migrated by newer code, `server_too_old` below PostgreSQL 14
 */
export async function migrate(url: string, silenceMs?: number): Promise<{ applied: number }> {
  const dial = createDial(silenceMs);
  const dialled: Socket[] = [];
  // Documented by postgres.js, though not in its types.
  const dialing: object = {
    socket(options: DialOptions) {
      const socket = dial(options);
      dialled.push(socket);
      return socket;
    },
  };
  const sql = postgres(url, { ...dialing, max: 1, connect_timeout: 10, onnotice: () => {} });
  try {
    await refuseOldServer(sql);
    await lock(sql);
    const before = await appliedMigrations(sql);
    if (await isCurrent(before)) return { applied: 0 };
    dialled.at(-1)?.setTimeout(APPLYING_SILENCE_MS);
    await applyMissing(sql);
    const after = await appliedMigrations(sql);
    return { applied: after.length - before.length };
  } catch (error) {
    throw toStoreError(error);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

async function refuseOldServer(sql: postgres.Sql): Promise<void> {
  const [row] = await sql`select current_setting('server_version_num')::int as version`;
  if (Number(row?.version) >= OLDEST_SERVER) return;
  throw new AppError({ code: 'server_too_old', publicMessage: 'The database server is older than PostgreSQL 14.' });
}

/** Asks again and again: who waits inside the server is silent, and looks like a connection that was lost. */
async function lock(sql: postgres.Sql): Promise<void> {
  for (;;) {
    const [row] = await sql`select pg_try_advisory_lock(${LOCK}) as locked`;
    if (row?.locked) return;
    await delay(LOCK_EVERY_MS);
  }
}

/** Whether nothing is left to apply. Throws `schema_newer`. */
async function isCurrent(applied: number[]): Promise<boolean> {
  const newestKnown = Math.max(...(await knownMigrations()));
  const newestApplied = applied.at(-1) ?? 0;
  if (newestApplied <= newestKnown) return newestApplied === newestKnown;
  throw new AppError({
    code: 'schema_newer',
    publicMessage:
      'The database was migrated by a newer version of Tidegate; start that version, or restore an older backup.',
  });
}

/** Drizzle is loaded only here: it is an eighth of what it costs to start an app, and almost no start needs it. */
async function applyMissing(sql: postgres.Sql): Promise<void> {
  const [{ drizzle }, { migrate: applyMigrations }] = await Promise.all([
    import('drizzle-orm/postgres-js'),
    import('drizzle-orm/postgres-js/migrator'),
  ]);
  await applyMigrations(drizzle(sql), { migrationsFolder: MIGRATIONS_FOLDER });
}
