import type { Transaction } from '../database/connect.ts';

/**
 * Brings the next poll forward for those of the incidents that no service has part in: only a poll can end them. The
 * poller keeps its pace and its back-off all the same. Locks the one poll row: the last lock of any transaction.
 * @param inMs how long from now the answer is wanted
 */
export async function askForPoll(tx: Transaction, incidentIds: readonly string[], inMs: number): Promise<void> {
  if (incidentIds.length === 0) return;
  await tx`
    update poll set wanted_at = least(coalesce(wanted_at, 'infinity'), clock_timestamp() + make_interval(secs => ${inMs} / 1000.0))
    where exists (
      select 1 from unnest(${[...new Set(incidentIds)]}::text[]) as i(id) where not exists (
        select 1 from incident_service x join service s on s.id = x.service_id where x.incident_id = i.id and s.retired_at is null))`;
}
