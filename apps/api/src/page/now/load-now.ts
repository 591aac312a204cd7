import type { Gate } from '@tidegate/client';
import type { GateWithHand, IncidentRow, SilenceRow, WaitingCallbacks } from '@tidegate/store';
import type { ApiContext } from '../../api-context.ts';
import { limitRow } from '../../incident/limit-incident.ts';
import { loadMutes, type Mute } from '../incident/load-mutes.ts';
import { mayEnter, SECTIONS } from '../layout/sections.ts';
import type { Viewer } from '../session/viewer.ts';
import { type Health, readHealth } from './read-health.ts';

/** More would bury the newest; the rest is a page further. */
const MOST_INCIDENTS = 20;
const MOST_SILENCES = 10;

/** What the first page shows; null where the key may not look. */
export interface Now {
  readonly at: Date;
  readonly incidents: {
    readonly items: IncidentRow[];
    readonly mutes: ReadonlyMap<string, Mute>;
    readonly open: number;
    readonly unacknowledged: number;
  } | null;
  readonly gates: {
    readonly held: Gate[];
    readonly forced: GateWithHand[];
    readonly hands: ReadonlyMap<string, GateWithHand>;
    readonly known: number;
  } | null;
  readonly callbacks: WaitingCallbacks[] | null;
  /** The newest that mute pages now. */
  readonly silences: SilenceRow[] | null;
  readonly health: Health;
}

/** Loads it in one go. Throws as the store does. */
export async function loadNow(context: ApiContext, viewer: Viewer): Promise<Now> {
  const [incidents, gates, callbacks, silences, health] = await Promise.all([
    mayEnter(viewer, SECTIONS.incidents) ? loadIncidents(context, viewer) : null,
    mayEnter(viewer, SECTIONS.services) ? loadGates(context, viewer) : null,
    mayEnter(viewer, SECTIONS.callbacks) ? context.store.countWaitingCallbacks(viewer.services) : null,
    mayEnter(viewer, SECTIONS.incidents) ? loadSilences(context, viewer) : null,
    readHealth(context),
  ]);
  return { at: new Date(), incidents, gates, callbacks, silences, health };
}

async function loadIncidents(context: ApiContext, { services }: Viewer): Promise<NonNullable<Now['incidents']>> {
  const { store } = context;
  const page = (state: 'open' | 'acknowledged') =>
    store.listIncidents({ state, cursor: null, limit: MOST_INCIDENTS, services });
  const [open, acknowledged, counts] = await Promise.all([
    page('open'),
    page('acknowledged'),
    store.countOpenIncidents(services),
  ]);
  // What nobody has taken comes first.
  const items = [...open.items, ...acknowledged.items].slice(0, MOST_INCIDENTS);
  const mutes = await loadMutes(context, items, services);
  return { items: items.map((row) => limitRow(row, services)), mutes, ...counts };
}

async function loadSilences({ store }: ApiContext, { services }: Viewer): Promise<SilenceRow[]> {
  return (await store.listSilences({ live: true, services, cursor: null, limit: MOST_SILENCES })).items;
}

async function loadGates({ gates, store }: ApiContext, { services }: Viewer): Promise<NonNullable<Now['gates']>> {
  const [read, hands] = await Promise.all([gates.read(services), store.listGatesWithHand()]);
  const visible = (name: string) => services === null || services.includes(name);
  const all = [...read.values()].filter(({ service }) => visible(service));
  const handed = hands.filter(({ service, hand }) => hand !== null && visible(service));
  return {
    held: all.filter(({ decision }) => decision === 'held').sort((a, b) => (a.service < b.service ? -1 : 1)),
    forced: handed.filter(({ hand }) => hand === 'open'),
    hands: new Map(handed.map((one) => [one.service, one])),
    known: all.length,
  };
}
