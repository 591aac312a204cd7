import type { Sql } from '@tidegate/store';

/** Makes what was received within the last minute have been received at `at`. */
export async function backdate(sql: Sql, at: Date): Promise<void> {
  await sql`update delivery set received_at = ${at} where received_at > now() - interval '1 minute'`;
  await sql`
    update observation set first_received_at = ${at}, month = month_of(${at}) where first_received_at > now() - interval '1 minute'`;
  await sql`update observation_key set first_received_at = ${at} where first_received_at > now() - interval '1 minute'`;
}
