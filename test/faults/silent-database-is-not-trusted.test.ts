import type { Gate, ObservationPage } from '@tidegate/client';
import { postWebhook, startWorld, type World } from '@tidegate/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HalfOpenProxy, startHalfOpenProxy } from '../support/half-open-proxy.ts';
import { tellsOfLostDatabase } from '../support/provoked-lines.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

/** The receiver and the api give up on a silent database after 10 s and 5 s. */
const RECEIVER_LIMIT_MS = 12_000;
const API_LIMIT_MS = 7000;
/** A connection ends itself after 20 s of silence; whoever waited for it then tries again. */
const GONE_LIMIT_MS = 40_000;

let database: TestDatabase;
let proxy: HalfOpenProxy;
let world: World;
let stack: Stack;
let webhookUrl: string;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startHalfOpenProxy(Number(new URL(database.url).port));
  world = await startWorld({ stoppedAppDelayMs: 300 });
  const env = { DATABASE_URL: Object.assign(new URL(database.url), { port: String(proxy.port) }).href };
  const provokes = (line: string) => tellsOfLostDatabase(line) || line.includes('"code":"store_timeout"');
  stack = await startStack({ config: stackConfig(world), env, provokes });
  webhookUrl = stack.ready().sources[0]?.webhookUrl ?? '';
  await until('the gate opens', gate, ({ decision }) => decision === 'allowed');
});
afterAll(async () => {
  proxy?.abandon();
  await stack?.close();
  await world?.close();
  await proxy?.close();
  await database?.drop();
});

const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);

function disconnect() {
  const event = { Id: world.tunnelId, ActionDate: new Date().toISOString(), Type: 'Tunnel', Status: 'Disconnected' };
  return postWebhook(webhookUrl, event, { timeoutMs: 30_000 });
}

describe('a database whose connections stay open and say nothing', () => {
  it(verifies('I1', 'I2', 'makes the receiver promise nothing and the api allow nothing'), async () => {
    proxy.freeze();
    const startedAt = performance.now();
    const posting = disconnect();
    const answer = await stack.call(`/v1/gates/${SERVICE}`, { timeoutMs: 30_000 });
    expect(answer.status).toBe(503);
    expect(performance.now() - startedAt).toBeLessThan(API_LIMIT_MS);
    const posted = await posting;
    expect(posted).toMatchObject({ outcome: 'answered', status: 503 });
    expect(posted.latencyMs).toBeLessThan(RECEIVER_LIMIT_MS);
  });

  it('is left for new connections, though the old ones never end', async () => {
    proxy.abandon();
    const posted = await until(
      'a delivery is accepted',
      disconnect,
      (outcome) => outcome.outcome === 'answered' && outcome.status === 202,
      GONE_LIMIT_MS,
    );
    const { observation } = JSON.parse(posted.outcome === 'answered' ? posted.body : '{}') as { observation: string };
    const shown = () => stack.get<ObservationPage>('/v1/observations?limit=500');
    await until('the api shows it', shown, ({ items }) => items.some(({ id }) => id === observation), GONE_LIMIT_MS);
    await until('the worker verifies', gate, ({ decision }) => decision === 'allowed', GONE_LIMIT_MS);
  });
});
