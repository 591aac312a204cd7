import { findSilence } from '@tidegate/core';
import type { IncidentRow, SilenceRow } from '@tidegate/store';
import type { ApiContext } from '../../api-context.ts';

const MOST_SILENCES = 200;

/** Why people hear nothing of an incident that goes on. */
export interface Mute {
  readonly silence: SilenceRow;
  /** Whether somebody knows of it all the same: it was told before, or acknowledged. */
  readonly known: boolean;
}

/**
 * Those of the incidents whose pages are muted now, by id. Throws as the store does.
 * @param rows as the store answers them: an incident is muted by what covers all of its services, not those a key may see
 */
export async function loadMutes(
  { store }: ApiContext,
  rows: readonly IncidentRow[],
  services: readonly string[] | null,
): Promise<ReadonlyMap<string, Mute>> {
  const open = rows.filter(({ state }) => state !== 'resolved');
  if (open.length === 0) return new Map();
  const [live, told] = await Promise.all([
    store.listSilences({ live: true, services, cursor: null, limit: MOST_SILENCES }),
    store.listToldIncidents(open.map(({ id }) => id)),
  ]);
  return new Map(
    open.flatMap((row): [string, Mute][] => {
      const silence = findSilence(live.items, coveredBy(row));
      const known = row.state === 'acknowledged' || told.includes(row.id);
      return silence === null ? [] : [[row.id, { silence, known }]];
    }),
  );
}

/** What a silence has to name to cover it. A mass outage has no subject of its own that one could name. */
function coveredBy({ kind, groupAlias, services }: Pick<IncidentRow, 'kind' | 'groupAlias' | 'services'>) {
  return { groups: kind === 'mass' ? [] : [groupAlias], services };
}
