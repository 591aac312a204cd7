import type { Observation } from '@tidegate/client';
import { observationId } from '@tidegate/core';
import type { ObservationRow } from '@tidegate/store';

/** An observation under the id that its delivery was answered with. */
export function presentObservation({ key, receivedAt, ...row }: ObservationRow): Observation {
  return {
    id: observationId(key),
    subject: row.subject,
    name: row.name,
    type: row.type,
    status: row.status,
    source: row.source,
    actionDate: row.actionDate,
    trusted: row.trusted,
    receivedAt: receivedAt.toISOString(),
    deliveries: row.deliveries,
  };
}
