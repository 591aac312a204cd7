import { describeEvent, type TimelineEvent } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** Tells every open incident that API v2 has stopped answering polls, or answers them again. */
export async function tellOfPolls(
  sql: Sql,
  event: Extract<TimelineEvent, { event: 'poll.failing' | 'poll.answered' }>,
): Promise<void> {
  try {
    await sql`
      insert into timeline_entry (incident_id, at, event, why)
      select i.id, clock_timestamp(), ${event.event}, ${describeEvent(event)} from incident i where i.state <> 'resolved' order by i.id`;
  } catch (error) {
    throw toStoreError(error);
  }
}
