import type { CallbackPage, Gate, Incident, IncidentDetail, ObservationPage } from '@tidegate/client';
import { createFleet, startWorld, type WebhookEvent, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handOver } from '../support/hand-over.ts';
import { keepPosting, type Load } from '../support/keep-posting.ts';
import { tellsOfLostDatabase } from '../support/provoked-lines.ts';
import { databaseUrl } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, SOURCE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const CONNECTIONS = 64;
const CALLBACKS = 24;
const fleet = createFleet({ devices: 3, tunnelsPerDevice: 8 });
const FLEET_SERVICES = fleet.devices.map(({ name }) => name);

let world: World;
let stack: Stack;
let sql: Sql;
let load: Load;

/** Disconnects of all devices and tunnels, again and again, each with a date of its own. */
function* outage(): Generator<WebhookEvent> {
  for (let startMs = Date.now(); ; startMs += 1) yield* fleet.events('Disconnected', { startMs });
}

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  fleet.addTo(world.account);
  const services = fleet.devices.map(({ name }) => ({
    name,
    source: SOURCE,
    device: name,
    probes: { liveness: { url: world.probeUrls.liveness } },
  }));
  stack = await startStack({
    config: stackConfig(world, { services }),
    provokes: tellsOfLostDatabase,
  });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  sql = connect(databaseUrl(stack), { application: 'test', connections: 2 });
});
afterAll(async () => {
  await load?.stop();
  await sql?.end({ timeout: 1 });
  await stack?.close();
  await world?.close();
});

const gates = async () => (await stack.get<{ items: Gate[] }>('/v1/gates')).items;
const decisions = async () => new Set((await gates()).map((gate) => gate.decision));
const incidents = async (state = '') => (await stack.get<{ items: Incident[] }>(`/v1/incidents${state}`)).items;

async function allObservationIds(): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const page: ObservationPage = await stack.get<ObservationPage>(`/v1/observations?limit=500${after}`);
    for (const { id } of page.items) ids.add(id);
    cursor = page.nextCursor;
  }
  return ids;
}

function missingFrom(ids: ReadonlySet<string>): { count: number; first: string[] } {
  const missing = load.accepted.filter((id) => !ids.has(id));
  return { count: missing.length, first: missing.slice(0, 5) };
}

async function killUnderLoad(child: 'receiver' | 'worker' | 'api' | 'postgres'): Promise<void> {
  const moreThan = (count: number) =>
    until(
      'deliveries are accepted',
      () => load.accepted.length,
      (now) => now > count,
    );
  await moreThan(load.accepted.length + 500);
  const pid = stack.ready().pids[child] ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(
    `${child} is back`,
    () => stack.ready().pids[child],
    (now) => now !== pid,
  );
  await moreThan(load.accepted.length + 500);
}

describe(`${CONNECTIONS} connections, and kill -9 of receiver, worker, api and Postgres in turn`, () => {
  it('begins with every gate open', async () => {
    await until('all gates open', decisions, (now) => now.size === 1 && now.has('allowed'));
    for (const device of [world.deviceName, ...FLEET_SERVICES]) await world.account.deviceGoesOffline(device);
    expect(await decisions()).toEqual(new Set(['held']));
  });

  it('goes on accepting after each kill, and takes callbacks over all the while', async () => {
    load = keepPosting(stack.ready().sources[0]?.webhookUrl ?? '', outage(), CONNECTIONS);
    const handing = (async () => {
      for (let index = 0; index < CALLBACKS; index += 1) {
        const repeat = index % 2 === 0 ? 'deduplicated' : 'forbidden';
        await handOver(stack, { url: `${world.callbackReceiver.url}/report`, key: `report-${index}`, repeat });
      }
    })();
    for (const child of ['receiver', 'worker', 'api', 'postgres'] as const) await killUnderLoad(child);
    await load.stop();
    await handing;
    expect(load.outcomes[202]).toBeGreaterThan(4000);
    expect(Object.keys(load.outcomes).filter((name) => /^[45]/.test(name) && name !== '503')).toEqual([]);
  });

  it(verifies('I1', 'no acknowledged observation is missing, in the feed or in the table'), async () => {
    const shown = await allObservationIds();
    expect(missingFrom(shown)).toEqual({ count: 0, first: [] });
    const stored = await sql<{ id: string }[]>`select 'obs_' || replace(key::text, '-', '') as id from observation`;
    const rows = new Set(stored.map(({ id }) => id));
    expect(missingFrom(rows)).toEqual({ count: 0, first: [] });
    expect(new Set(load.accepted).size).toBe(load.accepted.length);
    const [row] = await sql<{ orphans: number }[]>`
      select count(*)::int as orphans from delivery d left join observation o on o.key = d.observation_key where o.key is null`;
    expect(row?.orphans).toBe(0);
  });

  it(verifies('I4', 'there is one incident per group, opened once'), async () => {
    await until(
      'everything is correlated',
      () => sql`select 1 from pending`,
      (rows) => rows.length === 0,
    );
    const open = await incidents('?state=open');
    expect(open.map((incident) => incident.group.name).toSorted()).toEqual(
      [...FLEET_SERVICES, world.deviceName].toSorted(),
    );
    const perGroup = await sql`select group_id, count(*)::int as n from incident where merged_into is null group by 1`;
    expect(perGroup.map(({ n }) => n)).toEqual(open.map(() => 1));
    for (const { id } of open) {
      const { timeline } = await stack.get<IncidentDetail>(`/v1/incidents/${id}`);
      expect(timeline.filter(({ event }) => event === 'incident.opened')).toHaveLength(1);
    }
  });

  it(verifies('I7', 'I8', 'nothing held was sent, and afterwards every callback is sent exactly once'), async () => {
    expect(world.callbackReceiver.requests).toEqual([]);
    for (const device of [world.deviceName, ...FLEET_SERVICES]) await world.account.deviceComesBack(device);
    const page = await until(
      'every callback is delivered',
      () => stack.get<CallbackPage>(`/v1/callbacks?limit=500&service=${SERVICE}`),
      ({ items }) => items.every(({ state }) => state === 'delivered'),
      40_000,
    );
    expect(page.items).toHaveLength(CALLBACKS);
    expect(world.callbackReceiver.requests).toHaveLength(CALLBACKS);
    const keys = Array.from({ length: CALLBACKS }, (_, index) => `report-${index}`);
    expect(keys.map((key) => world.callbackReceiver.effectsOf(key))).toEqual(keys.map(() => 1));
  });

  it(verifies('I11', 'every incident ends by a verification'), async () => {
    const ended = await until(
      'every incident is resolved',
      () => incidents(),
      (items) => items.every(({ state }) => state === 'resolved'),
    );
    for (const { id } of ended) {
      const detail = await stack.get<IncidentDetail>(`/v1/incidents/${id}`);
      expect(detail.resolvedBy).toMatch(/^ver_/);
      expect(detail.timeline.filter(({ event }) => event === 'incident.resolved')).toHaveLength(1);
    }
  });
});
