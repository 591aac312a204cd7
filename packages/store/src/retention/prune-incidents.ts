import type { Sql, Transaction } from '../database/connect.ts';
import { PAGE, prunePages } from './prune-page.ts';

/**
 * Removes incidents resolved before `cutoff` with their timelines and what was told of them. One that another merged into stays until that one has
 * gone; one that a person ended stays until the override has long expired.
 */
export async function pruneIncidents(sql: Sql, cutoff: Date): Promise<number> {
  return prunePages(sql, (tx) => removePage(tx, cutoff));
}

async function removePage(tx: Transaction, cutoff: Date): Promise<number> {
  const rows = await tx<{ id: string }[]>`
    select i.id from incident i
    where i.state = 'resolved' and i.resolved_at < ${cutoff} and (i.override_expires_at is null or i.override_expires_at < ${cutoff})
      and i.id not in (select merged_into from incident where merged_into is not null)
    order by i.resolved_at limit ${PAGE} for update skip locked`;
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx`delete from timeline_entry where incident_id = any(${ids}::text[])`;
  await tx`delete from incident_subject where incident_id = any(${ids}::text[])`;
  await tx`delete from incident_service where incident_id = any(${ids}::text[])`;
  await tx`delete from notification where thread = any(${ids}::text[])`;
  await tx`delete from notice where thread = any(${ids}::text[])`;
  await tx`delete from incident where id = any(${ids}::text[])`;
  return ids.length;
}

/**
 * Removes verifications finished before `cutoff`, with their layers, unless a gate stands open by them, an incident that is
 * still kept ended by them (I11), or they are part of an incident that is open.
 */
export async function pruneVerifications(sql: Sql, cutoff: Date): Promise<number> {
  return prunePages(sql, async (tx) => {
    const { count } = await tx`
      delete from verification where id in (
        select v.id from verification v
        where v.finished_at < ${cutoff}
          and v.id not in (select opened_by from gate where opened_by is not null)
          and v.id not in (select resolved_by from incident where resolved_by is not null)
          and not exists (
            select 1 from incident i left join incident_service x on x.incident_id = i.id
            where i.state <> 'resolved' and (i.id = v.incident_id or (x.service_id = v.service_id and v.finished_at >= i.opened_at)))
        order by v.finished_at limit ${PAGE} for update skip locked)`;
    return count;
  });
}
