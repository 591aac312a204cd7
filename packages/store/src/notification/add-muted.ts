import { describeEvent, type SafeName } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** An incident that nobody was told of, since a person muted it. */
export interface MutedNotice {
  readonly incident: string;
  /** Epoch ms at which its present episode began. */
  readonly sinceMs: number;
  readonly by: SafeName;
  readonly until: Date;
}

/** Tells so in the timelines of incidents, of each once an episode for as long as the same mute lasts. */
export async function addMuted(tx: Transaction, muted: readonly MutedNotice[]): Promise<void> {
  if (muted.length === 0) return;
  const rows = muted.map(({ incident, sinceMs, by, until }) => ({
    incident,
    since: new Date(sinceMs).toISOString(),
    why: describeEvent({ event: 'notification.muted', by, until }),
  }));
  await tx`
    insert into timeline_entry (incident_id, at, event, why)
    select i.id, clock_timestamp(), 'notification.muted', r.why
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(incident text, since timestamptz, why text) join incident i on i.id = r.incident
    where not exists (
      select 1 from timeline_entry t where t.incident_id = i.id and t.event = 'notification.muted' and t.why = r.why and t.at >= r.since)`;
}
