import type { TracedSpan } from '@tidegate/outbound';
import { type CorrelatedGroup, connect, listObservations, type Sql } from '@tidegate/store';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hand } from '../../../../test/support/plant-callbacks.ts';
import { deliver, type PlantedService, plantService } from '../../../../test/support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { createTraces, type Traces } from './create-traces.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;
let spans: TracedSpan[];
let traces: Traces;
let observation: string;

const RUN = { id: 'ver_one', service: 'agent', generation: 3 };
const LAYERS = [
  { layer: 'tunnel', outcome: 'pass', reason: 'ok', latencyMs: 20, detail: 'https://invented.example.org/secret' },
  { layer: 'public', outcome: 'fail', reason: 'timeout', latencyMs: 5000, detail: 'x' },
  { layer: 'device', outcome: 'skipped', reason: 'not_configured', latencyMs: null, detail: 'x' },
] as const;

beforeEach(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 2 });
  planted = await plantService(sql, 'agent');
  await deliver(sql, planted, { status: 'disconnected' });
  const { items } = await listObservations(sql, { subject: null, cursor: null, limit: 1 });
  observation = `obs_${items[0]?.key.replaceAll('-', '')}`;
  spans = [];
  traces = createTraces({ sql, sender: { send: (told) => spans.push(...told), close: () => Promise.resolve() } });
});
afterEach(async () => {
  await sql.end();
  await database.drop();
});

async function aliasOf(id: number): Promise<string> {
  const [row] = await sql<{ alias: string }[]>`select alias from subject where id = ${id}`;
  return row?.alias ?? '?';
}

it('tells one observation from its receipt to the callback, as one trace', async () => {
  const group = { alias: await aliasOf(planted.tunnelId), name: 'invented-name' };
  const decision = { decision: 'open', kind: 'tunnel', reason: 'tunnel_down' };
  traces.correlated([{ decision, group, incidentId: 'inc_one', beginsMass: false } as unknown as CorrelatedGroup]);
  traces.verified(RUN, 'public_path_broken', LAYERS, 5200);
  const callback = await hand(sql);
  traces.attempted(callback, { phase: 'answered', reason: 'answered', status: 204, latencyMs: 12 }, Date.now());
  await traces.close();
  expect(spans.map(({ name, trace, parent }) => [name, trace, parent])).toEqual(
    expect.arrayContaining([
      ['record', observation, null],
      ['correlate', observation, observation],
      ['verify', observation, observation],
      ['layer', observation, 'ver_one'],
      ['layer', observation, 'ver_one'],
      ['release', observation, observation],
    ]),
  );
  expect(spans).toHaveLength(6);
  const attributes = Object.fromEntries(spans.map((span) => [span.name, span.attributes]));
  expect(attributes.correlate).toEqual({
    'tidegate.observation': observation,
    'tidegate.group': group.alias,
    'tidegate.incident': 'inc_one',
    'tidegate.decision': 'open',
    'tidegate.kind': 'tunnel',
    'tidegate.reason': 'tunnel_down',
  });
  expect(attributes.verify).toMatchObject({ 'tidegate.service': 'agent', 'tidegate.verdict': 'public_path_broken' });
  expect(attributes.release).toEqual({
    'tidegate.observation': observation,
    'tidegate.service': 'agent',
    'tidegate.callback': callback,
    'tidegate.phase': 'answered',
    'tidegate.reason': 'answered',
    'tidegate.status': 204,
  });
  expect(spans.filter(({ failed }) => failed).map(({ name }) => name)).toEqual(['verify', 'layer']);
  expect(JSON.stringify(spans)).not.toContain('invented');
});

it('tells what comes much later as a trace of its own, which links to the observation', async () => {
  await sql`update observation set first_received_at = first_received_at - interval '2 hours'`;
  traces.verified(RUN, 'healthy', [], 10);
  await traces.close();
  expect(spans).toMatchObject([{ trace: 'ver_one', parent: null, links: [observation], failed: false }]);
  expect(spans[0]?.attributes['tidegate.observation']).toBe(observation);
});

it('tells of what nobody has spoken of without an observation, and says nothing when the store is away', async () => {
  traces.verified({ ...RUN, service: 'unheard' }, 'healthy', [], 10);
  await traces.close();
  expect(spans).toMatchObject([{ trace: 'ver_one', links: [] }]);
  await sql.end();
  traces.verified(RUN, 'healthy', [], 10);
  traces.attempted('cb_one', { phase: 'not_sent', reason: 'refused', latencyMs: 3 }, Date.now());
  await traces.close();
  expect(spans).toHaveLength(1);
});

it('keeps no stop waiting for a collector that hangs', async () => {
  const hanging = createTraces({ sql, sender: { send: () => undefined, close: () => new Promise(() => undefined) } });
  const startedAtMs = performance.now();
  await hanging.close();
  expect(performance.now() - startedAtMs).toBeLessThan(3000);
});
