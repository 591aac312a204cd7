import { describeEvent, type TimelineEvent } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';

/** An event that happened before it was written down, such as what an incident found when it opened. */
export interface DatedEvent {
  readonly event: TimelineEvent;
  readonly at: Date;
}

/** Appends events to an incident's timeline, each with the sentence on-call reads; one without a time happened now. */
export async function addTimeline(
  tx: Transaction,
  incidentId: string,
  ...events: (TimelineEvent | DatedEvent)[]
): Promise<void> {
  const entries = events.map((entry) => ('at' in entry ? entry : { event: entry, at: null }));
  await tx`
    insert into timeline_entry (incident_id, at, event, why, service)
    select ${incidentId}, coalesce(i.at, clock_timestamp()), i.event, i.why, i.service
    from unnest(${entries.map(({ at }) => at?.toISOString() ?? null)}::text[]::timestamptz[], ${entries.map(({ event }) => event.event)}::text[],
                ${entries.map(({ event }) => describeEvent(event))}::text[],
                ${entries.map(({ event }) => ('service' in event ? event.service : null))}::text[]) with ordinality as i(at, event, why, service, ordinal)
    order by i.ordinal`;
}
