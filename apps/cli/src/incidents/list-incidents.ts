import type { IncidentKind, IncidentState } from '@tidegate/core';
import { type IncidentFilter, type IncidentRow, listIncidents as readPage } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import type { TableRow } from '../output/format-table.ts';
import { INCIDENT_TONES } from '../output/list-tones.ts';
import { type ListFlags, showList } from '../output/show-list.ts';

export interface ListIncidentsFlags extends ListFlags {
  readonly state?: IncidentState;
  readonly kind?: IncidentKind;
  readonly service?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** `tidegate incidents list`: newest first. */
export async function listIncidents(flags: ListIncidentsFlags): Promise<void> {
  const { state = null, kind = null, service = null, cursor = null, limit } = flags;
  const filter: IncidentFilter = { state, kind, service, cursor, limit, services: null };
  await withStore((sql) =>
    showList(flags, async () => {
      const page = await readPage(sql, filter);
      return {
        head: ['ID', 'STATE', 'KIND', 'SINCE', 'SUMMARY'],
        rows: page.items.map(toRow),
        after: [
          ...(page.items.length === 0 ? ['No incidents.'] : []),
          ...(page.nextCursor === null ? [] : [`More: --cursor ${page.nextCursor}`]),
        ],
        json: page,
      };
    }),
  );
}

function toRow({ id, state, kind, since, summary }: IncidentRow): TableRow {
  return { key: id, cells: [id, { text: state, tone: INCIDENT_TONES[state] }, kind, since.toISOString(), summary] };
}
