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
    insert into timeline_entry (incident_id, at, event, why)
    select ${incidentId}, coalesce(i.at, clock_timestamp()), i.event, i.why
    from unnest(${entries.map(({ at }) => at?.toISOString() ?? null)}::text[]::timestamptz[], ${entries.map(({ event }) => event.event)}::text[],
                ${entries.map(({ event }) => describeEvent(event))}::text[]) with ordinality as i(at, event, why, ordinal)
    order by i.ordinal`;
}
