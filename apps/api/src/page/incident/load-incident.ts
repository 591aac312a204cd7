import type { Gate } from '@tidegate/client';
import type { GateWithHand, HeardSubject, IncidentDetail } from '@tidegate/store';
import type { ApiContext } from '../../api-context.ts';
import { limitDetail } from '../../incident/limit-incident.ts';
import type { Viewer } from '../session/viewer.ts';
import { loadMutes, type Mute } from './load-mutes.ts';

/** All that the page of an incident shows. */
export interface LoadedIncident {
  readonly at: Date;
  readonly incident: IncidentDetail;
  /** Whether the key may see all of it. */
  readonly whole: boolean;
  readonly heard: readonly HeardSubject[];
  /** Of its services, by name. */
  readonly gates: readonly Gate[];
  readonly hands: ReadonlyMap<string, GateWithHand>;
  /** Set while its pages are muted. */
  readonly mute: Mute | undefined;
}

/** Null for what is not there, or not for this key. Throws as the store does. */
export async function loadIncident(context: ApiContext, viewer: Viewer, id: string): Promise<LoadedIncident | null> {
  const { store } = context;
  const found = await store.readIncident(id, viewer.services);
  if (found === null) return null;
  const { incident, whole } = limitDetail(found, viewer.services);
  const [heard, gates, hands, mutes] = await Promise.all([
    whole ? store.listHeardChanges(id) : [],
    context.gates.read(incident.services),
    store.listGatesWithHand(),
    loadMutes(context, [found], viewer.services),
  ]);
  return {
    at: new Date(),
    incident,
    whole,
    heard,
    gates: incident.services.flatMap((service) => gates.get(service) ?? []),
    hands: new Map(hands.filter(({ hand }) => hand !== null).map((one) => [one.service, one])),
    mute: mutes.get(id),
  };
}
