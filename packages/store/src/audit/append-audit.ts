import type { AuditEntry, AuditHead, SignAudit } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** Whoever appends must meet on the same number: it makes the chain serial. */
const LOCK = 7_413_003;

/** Postgres keeps microseconds: the text that the MAC covers has all of them. */
export const AUDIT_TIME = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"';

/**
 * Appends a row to the trail, in the transaction of what it tells of: both happen or neither does. It has to be the last
 * thing in its transaction, since every other append waits for the commit: so it ends the lock order.
 * @param sign makes the MAC; the store holds no key
 */
export async function appendAudit(tx: Transaction, entry: AuditEntry, sign: SignAudit): Promise<AuditHead> {
  await tx`select pg_advisory_xact_lock(${LOCK})`;
  const [last] = await tx<{ at: string; seq: number | null; mac: Buffer | null }[]>`
    select to_char(clock.now at time zone 'UTC', ${AUDIT_TIME}) as at, a.seq, a.mac
    from (select clock_timestamp() as now) clock
    left join lateral (select seq, mac from audit order by seq desc limit 1) a on true`;
  if (last === undefined) throw new Error('a select from one row answered none');
  const { actor, action, target, reason, facts } = entry;
  const row = { seq: (last.seq ?? 0) + 1, at: last.at, actor, action, target, reason, facts };
  const mac = sign(row, last.mac);
  // As text: the driver would send a timestamp through a Date, which drops the microseconds.
  await tx`
    insert into audit (seq, at, actor, action, target, reason, facts, mac)
    values (${row.seq}, ${row.at}::text::timestamptz, ${actor}, ${action}, ${target}, ${reason}, ${tx.json(facts)}, ${Buffer.from(mac)})`;
  return { seq: row.seq, mac };
}
