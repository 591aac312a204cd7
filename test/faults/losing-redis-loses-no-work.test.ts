import type { AcceptedCallback, CallbackDetail, Gate, Incident, IncidentDetail } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handOver } from '../support/hand-over.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { startTestRedis, type TestRedis } from '../support/servers.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

let redis: TestRedis;
let world: World;
let stack: Stack;

beforeAll(async () => {
  [redis, world] = await Promise.all([startTestRedis(), startWorld({ stoppedAppDelayMs: 300 })]);
  // One outage after the other, each an incident of its own.
  const config = stackConfig(world, { policy: { reopenWithin: '0s' } });
  stack = await startStack({ config, env: { REDIS_URL: redis.url } });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  await until('the gate opens', gate, ({ decision }) => decision === 'allowed');
});
afterAll(async () => {
  await stack?.close();
  await world?.close();
  await redis?.stop();
});

const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);
const openIncidents = async () => (await stack.get<{ items: Incident[] }>('/v1/incidents?state=open')).items;
const allIncidents = async () => (await stack.get<{ items: Incident[] }>('/v1/incidents')).items;

async function flush(): Promise<number> {
  const client = new Redis(redis.port, '127.0.0.1');
  const keys = await client.dbsize();
  await client.flushall();
  client.disconnect();
  return keys;
}

/** One outage up to its incident, with a callback that waits for its end. */
async function beginOutage(key: string, onHeld: () => Promise<unknown>): Promise<[Incident, AcceptedCallback]> {
  for (const { status } of await world.account.deviceGoesOffline(world.deviceName)) expect(status).toBe(202);
  const callback = await handOver(stack, { url: `${world.callbackReceiver.url}/${key}`, key, repeat: 'forbidden' });
  expect(callback.state).toBe('held');
  await onHeld();
  const [incident, ...others] = await until('the incident', openIncidents, (items) => items.length > 0);
  expect(others).toEqual([]);
  return [incident as Incident, callback];
}

/** The link returns: what must have happened exactly once by the end. */
async function endOutage(incident: Incident, callback: AcceptedCallback): Promise<void> {
  for (const { status } of await world.account.deviceComesBack(world.deviceName)) expect(status).toBe(202);
  const sent = await until(
    'the delivery',
    () => stack.get<CallbackDetail>(`/v1/callbacks/${callback.id}`),
    ({ state }) => state === 'delivered',
  );
  expect(sent.tries).toHaveLength(1);
  const detail = await stack.get<IncidentDetail>(`/v1/incidents/${incident.id}`);
  expect(detail).toMatchObject({ state: 'resolved', reopened: 0, resolvedBy: expect.stringMatching(/^ver_/) });
  expect(detail.verifications.find(({ id }) => id === detail.resolvedBy)).toMatchObject({ verdict: 'healthy' });
  const happened = (event: string) => detail.timeline.filter((entry) => entry.event === event);
  expect([happened('incident.opened').length, happened('incident.resolved').length]).toEqual([1, 1]);
  await until('the end of the release', gate, ({ state }) => state === 'open');
}

describe('the sweeper still finds everything', () => {
  it(verifies('I12', 'I11', 'when Redis is emptied in the middle of an incident, again and again'), async () => {
    const [incident, callback] = await beginOutage('flushed', async () => {
      // What is due next is an alarm in Redis: it must be gone for good.
      expect(await flush()).toBeGreaterThan(0);
    });
    await flush();
    const flushing = setInterval(() => void flush().catch(() => undefined), 50);
    try {
      await endOutage(incident, callback);
    } finally {
      clearInterval(flushing);
    }
  });

  it(verifies('I12', 'I11', 'when Redis is killed in the middle of an incident and stays away'), async () => {
    const [incident, callback] = await beginOutage('killed', () => redis.stop());
    await endOutage(incident, callback);
  });

  it(verifies('I12', 'when an empty Redis comes back on its port'), async () => {
    redis = await startTestRedis({ port: redis.port });
    const [incident, callback] = await beginOutage('returned', async () => {});
    await endOutage(incident, callback);
    const client = new Redis(redis.port, '127.0.0.1');
    await until(
      'alarms are in Redis again',
      () => client.keys('tidegate_queue:*'),
      (keys) => keys.length > 0,
    );
    client.disconnect();
  });

  it(verifies('I12', 'and no effect was doubled'), async () => {
    expect((await allIncidents()).map(({ state }) => state)).toEqual(['resolved', 'resolved', 'resolved']);
    expect(world.callbackReceiver.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      'flushed',
      'killed',
      'returned',
    ]);
  });
});
