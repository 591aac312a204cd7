import type { IncidentEvent } from '@tidegate/client';
import { tellEvent } from '@tidegate/core';
import type { EventRow } from '@tidegate/store';

/** An event as it is told. */
export function presentEvent(row: EventRow): IncidentEvent {
  return {
    number: row.number,
    event: row.event,
    at: row.at.toISOString(),
    incident: row.incident,
    service: row.service,
    services: [...row.services],
    callback: row.callback,
    reason: row.reason,
    why: tellEvent(row),
  };
}
