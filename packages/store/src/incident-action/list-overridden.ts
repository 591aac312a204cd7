import type { Sql, Transaction } from '../database/connect.ts';

/** Of these correlation groups, those that a person's override covers now: what it ended is not told again meanwhile. */
export async function listOverridden(tx: Transaction, groupIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tx<{ groupId: number }[]>`
    select distinct coalesce(s.device_id, s.id) as group_id from incident i
    join incident_subject x on x.incident_id = i.id join subject s on s.id = x.subject_id
    where ${isOverridden(tx)} and coalesce(s.device_id, s.id) = any(${[...groupIds]}::bigint[])`;
  return new Set(rows.map((row) => row.groupId));
}

/** A condition on the incident `i`: a person ended it, and their word still counts. */
export function isOverridden(sql: Sql | Transaction) {
  return sql`i.state = 'resolved' and i.override_expires_at > clock_timestamp()`;
}
