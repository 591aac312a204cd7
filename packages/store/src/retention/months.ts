import { AppError } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

/** The tables that are partitioned by month. */
export type MonthlyTable = 'observation' | 'delivery';

const TABLES: readonly MonthlyTable[] = ['observation', 'delivery'];
/** Partitions are made for the month that is and this many after it, so that a worker may be away for weeks. */
const AHEAD = 2;
const LOCK_REFUSED = '55P03';

/**
 * Makes the partitions that will be needed next. One that cannot be had without waiting for others is made an hour later:
 * what comes meanwhile is kept in the default partition and moved then.
 */
export async function createMonths(sql: Sql): Promise<void> {
  for (const table of TABLES) {
    for (let ahead = 0; ahead <= AHEAD; ahead += 1) {
      await unlessRefused(sql, async (tx) => {
        await tx`select create_month(${table}, (month_of(clock_timestamp()) + ${ahead} * interval '1 month')::date)`;
      });
    }
  }
}

/** How many rows would go with a partition; null when it must stay. Asked again when nobody can write to it any more. */
export type CountSpent = (tx: Transaction, partition: string) => Promise<number | null>;

/** Drops the partitions of whole months before `cutoff` that `countSpent` lets go. */
export async function dropMonths(sql: Sql, table: MonthlyTable, cutoff: Date, countSpent: CountSpent) {
  const dropped = { months: 0, rows: 0 };
  for (const partition of await listMonths(sql, table, cutoff)) {
    const rows = await unlessRefused(sql, (tx) => dropMonth(tx, partition, countSpent));
    if (rows === null) continue;
    dropped.months += 1;
    dropped.rows += rows;
  }
  return dropped;
}

async function listMonths(sql: Sql, table: MonthlyTable, cutoff: Date): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass and c.relname ~ '_\\d{4}_\\d{2}$'
      and to_date(right(c.relname, 7), 'YYYY_MM') < month_of(${cutoff}) order by 1`;
  return rows.map(({ name }) => name);
}

/**
 * The share lock keeps the month as it was found; nobody writes to one so old but a clock set back. Dropping waits for
 * everyone who reads or writes the table, and who comes then waits behind it: never for longer than the timeout.
 */
async function dropMonth(tx: Transaction, partition: string, countSpent: CountSpent): Promise<number | null> {
  if ((await countSpent(tx, partition)) === null) return null;
  await tx`set local lock_timeout = '100ms'`;
  await tx`lock table ${tx(partition)} in share mode`;
  const rows = await countSpent(tx, partition);
  if (rows !== null) await tx`drop table ${tx(partition)}`;
  return rows;
}

/** Null when a lock could not be had in the time that recording may be held up. */
async function unlessRefused<T>(sql: Sql, work: (tx: Transaction) => Promise<T>): Promise<T | null> {
  try {
    return await inTransaction(sql, work);
  } catch (error) {
    if (error instanceof AppError && error.detail === LOCK_REFUSED) return null;
    throw error;
  }
}
