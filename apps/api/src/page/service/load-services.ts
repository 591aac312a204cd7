import type { Gate } from '@tidegate/client';
import type { GateWithHand, ServiceRecord } from '@tidegate/store';
import type { ApiContext } from '../../api-context.ts';

/** A service with its gate, how it fared, and what a person decided about it. */
export interface LoadedService {
  readonly gate: Gate;
  readonly record: ServiceRecord;
  readonly hand: GateWithHand | undefined;
}

/** Some services, out of how many. */
export interface LoadedServices {
  readonly items: LoadedService[];
  readonly total: number;
}

/**
 * Some of the services named (null: all): those that are forced open or held first, then by name. Only of those that are shown
 * it is asked how they fared, which costs the most. One that was just taken away may be missing. Throws as the store does.
 */
export async function loadServices(
  { gates, store }: ApiContext,
  services: readonly string[] | null,
  part: { readonly from: number; readonly most: number },
): Promise<LoadedServices> {
  const [read, hands] = await Promise.all([gates.read(services), store.listGatesWithHand()]);
  const handOf = new Map(hands.filter(({ hand }) => hand !== null).map((one) => [one.service, one]));
  const rank = ({ service, decision }: Gate) =>
    handOf.get(service)?.hand === 'open' ? 0 : decision === 'held' ? 1 : 2;
  const asked = [...read.values()].filter(({ service }) => services === null || services.includes(service));
  const sorted = asked.sort((a, b) => rank(a) - rank(b) || (a.service < b.service ? -1 : 1));
  const shown = sorted.slice(part.from, part.from + part.most);
  const records = await store.listServiceRecords(shown.map(({ service }) => service));
  const recordOf = new Map(records.map((record) => [record.service, record]));
  const items = shown.flatMap((gate) => {
    const record = recordOf.get(gate.service);
    return record === undefined ? [] : [{ gate, record, hand: handOf.get(gate.service) }];
  });
  return { items, total: asked.length };
}
