import { type GateWithHand, listGatesWithHand, listServices as readPage, type ServiceRow } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import type { TableRow } from '../output/format-table.ts';
import { GATE_TONES, verdictTone } from '../output/list-tones.ts';
import { type ListFlags, showList } from '../output/show-list.ts';

export interface ListServicesFlags extends ListFlags {
  readonly source?: string;
  readonly limit: number;
  readonly cursor?: string;
}

/** `tidegate services list`: each with its gate and its last verification; those whose gate lets nothing out come first. */
export async function listServices(flags: ListServicesFlags): Promise<void> {
  const { source = null, cursor = null, limit } = flags;
  await withStore((sql) =>
    showList(flags, async () => {
      const page = await readPage(sql, { source, services: null, cursor, limit });
      const gates = new Map((await listGatesWithHand(sql)).map((gate) => [gate.service, gate]));
      return {
        head: ['SERVICE', 'GATE', 'VERDICT', 'BROKEN', 'DEVICE', 'TUNNEL', 'SOURCE'],
        rows: page.items.toSorted(byNeed(gates)).map((service) => toRow(service, gates.get(service.name))),
        after: [
          ...(page.items.length === 0 ? ['No services: name some in the config.'] : []),
          ...(page.nextCursor === null ? [] : [`More: --cursor ${page.nextCursor}`]),
        ],
        json: {
          items: page.items.map((service) => ({ ...service, gate: presentGate(gates.get(service.name)) })),
          nextCursor: page.nextCursor,
        },
      };
    }),
  );
}

/** Of one page: first what is held, then by name. */
function byNeed(gates: ReadonlyMap<string, GateWithHand>) {
  const rank = ({ name }: ServiceRow) => {
    const state = gates.get(name)?.state;
    return state === 'open' || state === 'releasing' ? 1 : 0;
  };
  return (a: ServiceRow, b: ServiceRow) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1);
}

function toRow(service: ServiceRow, gate: GateWithHand | undefined): TableRow {
  const { name, device, deviceName, tunnel, tunnelName, source, lastVerification } = service;
  return {
    key: name,
    cells: [
      name,
      gate === undefined ? '-' : { text: gate.state, tone: GATE_TONES[gate.state] },
      lastVerification === null
        ? { text: 'never verified', tone: 'waiting' }
        : { text: lastVerification.verdict, tone: verdictTone(lastVerification.verdict) },
      lastVerification?.firstBroken ?? '-',
      deviceName ?? device ?? '-',
      tunnelName ?? tunnel ?? '-',
      source,
    ],
  };
}

function presentGate(gate: GateWithHand | undefined) {
  if (gate === undefined) return null;
  const { state, reason, generation, since } = gate;
  return { state, reason, generation, since };
}
