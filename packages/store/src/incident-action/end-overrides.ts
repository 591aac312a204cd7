import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { toStoreError } from '../database/store-error.ts';
import { addTimeline } from '../incident/add-timeline.ts';
import { type Debounce, regroup } from '../incident/regroup.ts';

/** An override that counts no longer. */
export interface EndedOverride {
  readonly incident: string;
  /** Its groups that are still down and are told anew. */
  readonly regrouped: number;
}

/**
 * Ends the overrides whose time is over, or of which everything is back. What is still down is armed anew: the correlator
 * then reopens the incident or opens another. What is back would be told again at its next loss. Any number of workers may
 * call it.
 */
export async function endOverrides(sql: Sql, debounce: Debounce): Promise<EndedOverride[]> {
  const ended: EndedOverride[] = [];
  for (const incident of await listEnding(sql)) {
    const regrouped = await inTransaction(sql, (tx) => endOverride(tx, incident, debounce));
    if (regrouped !== null) ended.push({ incident, regrouped });
  }
  return ended;
}

async function listEnding(sql: Sql): Promise<string[]> {
  try {
    const rows = await sql<{ id: string }[]>`
      select i.id from incident i
      where i.override_expires_at is not null and (i.override_expires_at <= clock_timestamp() or i.state <> 'resolved' or ${isBack(sql)})
      order by i.override_expires_at limit 100`;
    return rows.map((row) => row.id);
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Lock order: pending (by arming), then the incident. The row is read again under its lock, for another may be first. */
async function endOverride(tx: Transaction, id: string, debounce: Debounce): Promise<number | null> {
  const down = await tx<{ groupId: number }[]>`
    select distinct coalesce(s.device_id, s.id) as group_id
    from incident_subject x join subject s on s.id = x.subject_id join subject_told t on t.subject_id = s.id
    where x.incident_id = ${id} and t.down order by 1`;
  const regrouped = await regroup(
    tx,
    down.map((row) => row.groupId),
    debounce,
  );
  const [row] = await tx<{ state: string }[]>`
    update incident set override_expires_at = null where id = ${id} and override_expires_at is not null returning state`;
  if (row === undefined) return null;
  if (row.state === 'resolved')
    await addTimeline(tx, id, { event: 'incident.override_ended', stillDown: regrouped > 0 });
  return regrouped;
}

/** Nothing of it counts as disconnected, and the gates of its services, if it has any, stand open on evidence. */
function isBack(sql: Sql) {
  return sql`(not exists (select 1 from incident_subject x join subject_told t on t.subject_id = x.subject_id where x.incident_id = i.id and t.down)
    and not exists (select 1 from incident_service x join gate g on g.service_id = x.service_id join service s on s.id = x.service_id
                     where x.incident_id = i.id and s.retired_at is null and g.opened_by is null))`;
}
