import type { Subject } from '@tidegate/client';
import type { SubjectRow } from '@tidegate/store';

/** A device or tunnel by its alias. */
export function presentSubject(row: SubjectRow): Subject {
  return {
    alias: row.alias,
    type: row.type,
    group: row.group,
    name: row.name,
    tunnelId: row.publicId,
    device: row.device,
    status: row.status,
    suspect: row.suspect,
    services: row.services,
    firstSeenAt: row.firstSeenAt.toISOString(),
    changedAt: row.changedAt?.toISOString() ?? null,
  };
}
