import type { Sql } from '@tidegate/store';

/** Every time that decides something, by table; `ticks` columns are moved as well. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  observation: ['first_received_at'],
  observation_key: ['first_received_at'],
  delivery: ['received_at'],
  connectivity: ['moved_at'],
  pending: ['first_at', 'last_at', 'due_at'],
  incident: ['opened_at', 'acknowledged_at', 'resolved_at', 'passed_at', 'flap_counted_at'],
  incident_subject: ['joined_at'],
  timeline_entry: ['at'],
  event: ['at', 'recorded_at'],
  blip: ['first_at', 'last_at', 'recorded_at'],
  gate: ['since', 'verify_due_at', 'opened_by_started_at'],
  subject: ['polled_at', 'confirmed_at', 'first_seen_at', 'linked_at', 'device_since'],
  verification: ['started_at', 'finished_at'],
  poll: ['due_at', 'wanted_at', 'allowed_at', 'lease_until', 'answered_at'],
};

/** Time travel: everything that was written so far lies `ms` further back, as if that long had passed since. */
export async function passTime(sql: Sql, ms: number): Promise<void> {
  const step = sql`make_interval(secs => ${ms} / 1000.0)`;
  await sql.begin(async (tx) => {
    for (const [table, columns] of Object.entries(TIMES)) {
      const moves = columns.map((column) => tx`${tx(column)} = ${tx(column)} - ${step}`);
      const ticks =
        table === 'observation' || table === 'connectivity' ? tx`, ticks = ticks - ${ms * 10_000}::bigint` : tx``;
      await tx`update ${tx(table)} set ${moves.flatMap((move, index) => (index === 0 ? move : [tx`, `, move]))} ${ticks}`;
    }
  });
}
