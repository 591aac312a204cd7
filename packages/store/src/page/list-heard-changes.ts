import type { ConnectivityStatus, SubjectType } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** What was heard of one subject of an incident. */
export interface HeardSubject {
  readonly alias: string;
  readonly name: string | null;
  readonly type: SubjectType;
  /** Observations by when they were received, oldest first; the first may be from before the incident. */
  readonly heard: readonly { readonly at: string; readonly status: ConnectivityStatus }[];
}

/** More would be a picture of bars without names. */
const MOST_SUBJECTS = 8;
const MOST_HEARD = 200;

/**
 * What was received about the subjects of an incident (devices first, at most eight) from a little before it opened until its
 * end, for the picture of it.
 */
export async function listHeardChanges(sql: Sql, incident: string): Promise<HeardSubject[]> {
  try {
    return await sql<HeardSubject[]>`
      select s.alias, s.name, s.type, (
        select coalesce(json_agg(json_build_object('at', o.at, 'status', o.status) order by o.at), '[]') from (
          (select first_received_at as at, status from observation
            where subject_id = s.id and first_received_at > i.since and first_received_at <= i.until
            order by first_received_at desc limit ${MOST_HEARD})
          union all
          (select first_received_at, status from observation where subject_id = s.id and first_received_at <= i.since
            order by first_received_at desc limit 1)) o) as heard
      from (select id, opened_at - interval '10 minutes' as since, coalesce(resolved_at, clock_timestamp()) as until from incident
            where id = ${incident}) i
      join incident_subject x on x.incident_id = i.id join subject s on s.id = x.subject_id
      order by s.type, s.id limit ${MOST_SUBJECTS}`;
  } catch (error) {
    throw toStoreError(error);
  }
}
