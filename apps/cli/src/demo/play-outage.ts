import type { World } from '@tidegate/simulator';
import { say } from '../output/say.ts';
import { type DemoApi, type IncidentAnswer, until } from './demo-api.ts';
import type { Narrator } from './narrator.ts';

const SERVICE = 'research-agent';
const PATIENCE_MS = 45_000;
const ORDER = ['local_liveness', 'local_readiness', 'device', 'tunnel', 'public', 'application'];

interface Stage {
  readonly world: World;
  readonly api: DemoApi;
  readonly narrator: Narrator;
}

/** Plays one outage from healthy to released, telling each step when it is seen at the API, not when it is expected. */
export async function playOutage(world: World, api: DemoApi, narrator: Narrator, signal: AbortSignal): Promise<void> {
  const stage = { world, api: stoppable(api, signal), narrator };
  await playHealthy(stage);
  const outage = await playDrop(stage);
  const resolved = await playReturn(stage, outage);
  narrator.chapter(`What on-call reads of ${resolved.id}, times in UTC`);
  for (const { at, event, why } of resolved.timeline) say(`${at.slice(11, 23)}  ${event.padEnd(24)} ${why}`);
}

/** Every step asks the API sooner or later, so that is where a Ctrl-C ends the story. */
function stoppable(api: DemoApi, signal: AbortSignal): DemoApi {
  const ask =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> => {
      signal.throwIfAborted();
      return call(...args);
    };
  return {
    gate: ask(api.gate),
    openIncident: ask(api.openIncident),
    incident: ask(api.incident),
    handOver: ask(api.handOver),
    callback: ask(api.callback),
  };
}

async function playHealthy({ api, narrator: { chapter, tell } }: Stage): Promise<void> {
  chapter('Healthy: a gate is born held and opened by verification');
  const born = await api.gate(SERVICE);
  tell(`gate of ${SERVICE}: ${born.decision} (${born.reason})`);
  const open = await until(
    () => api.gate(SERVICE),
    (gate) => gate.decision === 'allowed',
    PATIENCE_MS,
    'The first opening',
  );
  tell(`gate of ${SERVICE}: ${open.decision} (${open.reason}), generation ${open.generation}`);
}

interface Outage {
  readonly incident: IncidentAnswer;
  readonly callbackId: string;
}

async function playDrop({ world, api, narrator: { chapter, tell } }: Stage): Promise<Outage> {
  chapter('The device drops: Localtonet posts its webhooks');
  for (const { change, status } of await world.account.deviceGoesOffline(world.deviceName)) {
    tell(`${change.type} ${change.status} → ${status}`);
  }
  const held = await api.gate(SERVICE);
  tell(`gate of ${SERVICE}, asked after the 202: ${held.decision} (${held.reason}), generation ${held.generation}`);
  const callback = await api.handOver(callbackFor(world), 'demo-report-7');
  tell(`the agent hands over a callback: ${callback.id} is ${callback.state}`);
  const opened = await until(
    () => api.openIncident(),
    (found) => found !== null,
    PATIENCE_MS,
    'The incident',
  );
  tell(`one incident opened: ${opened?.id} (${opened?.kind}): ${opened?.summary}`);
  const incident = await until(
    () => api.incident(opened?.id ?? ''),
    (found) => found.firstBroken !== null && found.verifications.length > 0,
    PATIENCE_MS,
    'A failed verification',
  );
  tellVerifications(incident, new Set(), tell);
  tell(`first broken layer: ${incident.firstBroken}`);
  tell(`callbacks received so far: ${world.callbackReceiver.requests.length}`);
  return { incident, callbackId: callback.id };
}

async function playReturn(
  { world, api, narrator: { chapter, tell } }: Stage,
  { incident, callbackId }: Outage,
): Promise<IncidentAnswer> {
  chapter('The link returns: a webhook is a signal, not proof');
  for (const { change, status } of await world.account.deviceComesBack(world.deviceName)) {
    tell(`${change.type} ${change.status} → ${status}`);
  }
  const seen = new Set(incident.verifications.map((run) => run.id));
  const resolved = await until(
    async () => {
      const now = await api.incident(incident.id);
      tellVerifications(now, seen, tell);
      return now;
    },
    (now) => now.state === 'resolved',
    PATIENCE_MS,
    'The end of the incident',
  );
  tell(`gate of ${SERVICE}: ${(await api.gate(SERVICE)).decision}`);
  await world.callbackReceiver.waitForRequests(1, PATIENCE_MS);
  const done = await until(
    () => api.callback(callbackId),
    (now) => now.state === 'delivered',
    PATIENCE_MS,
    'The delivery',
  );
  tell(`callback ${done.id} is ${done.state}; its receiver counted ${world.callbackReceiver.requests.length} request`);
  return resolved;
}

function callbackFor(world: World): Readonly<Record<string, unknown>> {
  return {
    service: SERVICE,
    url: `${world.callbackReceiver.url}/reports`,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ report: 7 }),
    safety: 'unsafe',
    repeat: 'deduplicated',
  };
}

function tellVerifications(incident: IncidentAnswer, seen: Set<string>, tell: Narrator['tell']): void {
  const runs = [...incident.verifications].sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  for (const run of runs) {
    if (seen.has(run.id)) continue;
    seen.add(run.id);
    tell(`verification ${run.id}: ${run.verdict}`);
    const layers = [...run.layers].sort((a, b) => ORDER.indexOf(a.layer) - ORDER.indexOf(b.layer));
    for (const { layer, outcome, latencyMs, detail } of layers) {
      const took = latencyMs === null ? '' : `${Math.round(latencyMs)} ms`;
      tell(`    ${layer.padEnd(16)} ${outcome.padEnd(8)} ${took.padStart(7)}  ${detail}`);
    }
  }
}
