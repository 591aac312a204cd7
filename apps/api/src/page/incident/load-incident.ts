import type { Gate } from '@tidegate/client';
import type { GateWithHand, HeardSubject, IncidentDetail, SilenceRow } from '@tidegate/store';
import type { ApiContext } from '../../api-context.ts';
import { limitDetail } from '../../incident/limit-incident.ts';
import type { Viewer } from '../session/viewer.ts';
import { loadMutes, type Mute } from './load-mutes.ts';

const MOST_SILENCES = 200;

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
  /** Those that muted pages about it, or do so now, newest first. */
  readonly silences: readonly SilenceRow[];
}

/** Null for what is not there, or not for this key. Throws as the store does. */
export async function loadIncident(context: ApiContext, viewer: Viewer, id: string): Promise<LoadedIncident | null> {
  const { store } = context;
  const found = await store.readIncident(id, viewer.services);
  if (found === null) return null;
  const { incident, whole } = limitDetail(found, viewer.services);
  const filter = { live: false, services: viewer.services, cursor: null, limit: MOST_SILENCES };
  const [heard, gates, hands, silences, mutes] = await Promise.all([
    whole ? store.listHeardChanges(id) : [],
    context.gates.read(incident.services),
    store.listGatesWithHand(),
    store.listSilences(filter),
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
    silences: silences.items.filter((one) => concerns(one, incident)),
  };
}

/** Whether it muted pages about the incident, or about a service of it, while that went on. */
function concerns(
  { scope, target, createdAt, expiresAt, endedAt }: SilenceRow,
  { groupAlias, services, openedAt, resolvedAt }: IncidentDetail,
): boolean {
  if ((endedAt ?? expiresAt) <= openedAt || (resolvedAt !== null && createdAt >= resolvedAt)) return false;
  if (scope === 'all') return true;
  return scope === 'group' ? target === groupAlias : target !== null && services.includes(target);
}
