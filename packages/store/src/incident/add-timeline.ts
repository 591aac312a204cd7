import { describeEvent, type TimelineEvent } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** Appends events to an incident's timeline, each with the sentence on-call reads. */
export async function addTimeline(tx: Transaction, incidentId: string, ...events: TimelineEvent[]): Promise<void> {
  await tx`
    insert into timeline_entry (incident_id, at, event, why)
    select ${incidentId}, clock_timestamp(), i.event, i.why
    from unnest(${events.map((event) => event.event)}::text[], ${events.map(describeEvent)}::text[]) with ordinality as i(event, why, ordinal)
    order by i.ordinal`;
}
