import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type postgres from 'postgres';
import type { Sql } from './connect.ts';

export const MIGRATIONS_FOLDER = fileURLToPath(new URL('../../migrations', import.meta.url));

/** When each migration that this code knows was made, in milliseconds; a number is what names one in the database. */
export async function knownMigrations(): Promise<number[]> {
  const journal = await readFile(`${MIGRATIONS_FOLDER}/meta/_journal.json`, 'utf8');
  return (JSON.parse(journal) as { entries: { when: number }[] }).entries.map(({ when }) => when);
}

/** Those that the database has seen, oldest first; none where nothing was ever migrated. */
export async function appliedMigrations(sql: postgres.Sql | Sql): Promise<number[]> {
  const [table] = await sql`select to_regclass('drizzle.__drizzle_migrations') is not null as present`;
  if (!table?.present) return [];
  const rows = await sql`select created_at::float8 as made from drizzle.__drizzle_migrations order by created_at`;
  return rows.map((row) => Number(row.made));
}
