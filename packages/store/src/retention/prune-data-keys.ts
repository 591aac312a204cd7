import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

/**
 * Removes data keys made before `cutoff` that no sealed value names any more. The columns are found by their names, not
 * listed here: a key must not go because a table was added later. A sealed value is its version, then its key's uuid.
 */
export async function pruneDataKeys(sql: Sql, cutoff: Date): Promise<number> {
  return inTransaction(sql, async (tx) => {
    const [old] = await tx`select 1 from data_key where created_at < ${cutoff} limit 1`;
    if (old === undefined) return 0;
    const columns = await listSealedColumns(tx);
    const used = columns.map(
      ({ table, column }) =>
        tx`select encode(substring(${tx(column)} from 2 for 16), 'hex') as id from ${tx(table)} where ${tx(column)} is not null`,
    );
    const union = used.flatMap((one, index) => (index === 0 ? [one] : [tx` union `, one]));
    const { count } = await tx`
      with used as materialized (${union})
      delete from data_key k where k.created_at < ${cutoff} and replace(k.id::text, '-', '') not in (select id from used)`;
    return count;
  });
}

async function listSealedColumns(tx: Transaction): Promise<{ table: string; column: string }[]> {
  const found = await tx<{ table: string; column: string }[]>`
    select c.relname::text as table, a.attname::text as column from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and not a.attisdropped
      and a.atttypid = 'bytea'::regtype and a.attname like 'sealed\\_%' order by 1, 2`;
  if (found.length === 0) throw new Error('the schema always has sealed columns');
  return found;
}
