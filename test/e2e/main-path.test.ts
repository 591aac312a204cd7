import type {
  AcceptedCallback,
  CallbackDetail,
  Gate,
  Incident,
  IncidentDetail,
  ObservationPage,
  SubjectPage,
} from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startStack } from '../support/run-stack.ts';
import { startTestRedis, type TestRedis } from '../support/servers.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

interface Stores {
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

async function startOwnStores(): Promise<Stores> {
  const database: TestDatabase = await createTestDatabase();
  const redis: TestRedis = await startTestRedis();
  const close = async () => {
    await redis.stop();
    await database.drop();
  };
  return { env: { DATABASE_URL: database.url, REDIS_URL: redis.url }, close };
}

describe.each([
  ['the embedded Postgres', async (): Promise<Stores> => ({ env: {}, close: async () => {} })],
  ['a separate Postgres and Redis', startOwnStores],
])('one outage on %s', (_name, startStores) => {
  let stores: Stores;
  let world: World;
  let stack: Stack;
  const accepted: string[] = [];
  let incident: Incident;
  let callback: AcceptedCallback;

  beforeAll(async () => {
    stores = await startStores();
    world = await startWorld({ stoppedAppDelayMs: 300 });
    stack = await startStack({ config: stackConfig(world), env: stores.env });
    world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  });
  afterAll(async () => {
    await stack?.close();
    await world?.close();
    await stores?.close();
  });

  const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);
  const openIncidents = async () => (await stack.get<{ items: Incident[] }>('/v1/incidents?state=open')).items;
  const detailOf = (id: string) => stack.get<IncidentDetail>(`/v1/incidents/${id}`);
  const note = (answers: readonly { status: number | null; body: string | null }[]) => {
    expect(answers.map((answer) => answer.status)).toEqual(answers.map(() => 202));
    accepted.push(...answers.map((answer) => JSON.parse(answer.body ?? '{}').observation as string));
  };

  it('tells where everything is once it accepts requests', () => {
    const { pids, pageUrl, apiUrl, adminKey } = stack.ready();
    expect(pids.parent).toBe(stack.pid);
    expect(pids.postgres === null).toBe(stores.env.DATABASE_URL !== undefined);
    expect(pids.redis).toBeNull();
    expect(new Set([pids.parent, pids.receiver, pids.api, pids.worker]).size).toBe(4);
    expect(pageUrl.startsWith(apiUrl)).toBe(true);
    expect(stack.output().stdout).not.toContain(adminKey);
  });

  it('opens the gate, born held, by verification alone', async () => {
    const open = await until('the first opening', gate, (now) => now.decision === 'allowed');
    expect(open).toMatchObject({ state: 'open', reason: 'verified', incident: null });
  });

  it('holds the gate from the 202 on', async () => {
    note(await world.account.deviceGoesOffline(world.deviceName));
    expect(await gate()).toMatchObject({ decision: 'held', reason: 'disconnected' });
  });

  it('takes a callback over and keeps it', async () => {
    const answer = await stack.call('/v1/callbacks', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': '"report-7"' },
      body: JSON.stringify({
        service: SERVICE,
        url: `${world.callbackReceiver.url}/reports`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: { report: 7 },
        safety: 'unsafe',
        repeat: 'forbidden',
      }),
    });
    expect(answer.status).toBe(201);
    callback = answer.json<AcceptedCallback>();
    expect(callback).toMatchObject({ state: 'held', idempotencyKey: 'report-7', origin: world.callbackReceiver.url });
  });

  it('opens one incident that names the device, what is held and the first broken layer', async () => {
    const [opened, ...others] = await until('the incident', openIncidents, (items) => items.length > 0);
    expect(others).toEqual([]);
    incident = opened as Incident;
    expect(incident).toMatchObject({ kind: 'device', group: { name: world.deviceName }, services: [SERVICE] });
    const detail = await until(
      'a verification',
      () => detailOf(incident.id),
      (now) => now.verifications.length > 0,
    );
    expect(detail.verifications[0]).toMatchObject({ verdict: 'device_offline', firstBroken: 'device' });
    expect(detail.verifications[0]?.layers.map(({ layer, outcome }) => `${layer} ${outcome}`)).toEqual([
      'local_liveness pass',
      'local_readiness pass',
      'device fail',
      'tunnel fail',
      'public fail',
      'application fail',
    ]);
    expect(detail.callbacks).toMatchObject({ held: 1, delivered: 0 });
    expect(world.callbackReceiver.requests).toEqual([]);
  });

  it(verifies('I11', 'ends the incident by a verification, never by the Connected'), async () => {
    note(await world.account.deviceComesBack(world.deviceName));
    const resolved = await until(
      'the end of the incident',
      () => detailOf(incident.id),
      (now) => now.state === 'resolved',
    );
    const proof = resolved.verifications.find((run) => run.id === resolved.resolvedBy);
    expect(proof).toMatchObject({ verdict: 'healthy', firstBroken: null, overtaken: false });
    expect(resolved.verifications.filter((run) => run.verdict === 'healthy')).toHaveLength(2);
    expect(resolved.timeline.at(-1)?.event).toBe('incident.resolved');
    expect(await openIncidents()).toEqual([]);
    expect(await gate()).toMatchObject({ decision: 'allowed', reason: 'verified' });
  });

  it('sends the callback once, as it was handed over', async () => {
    const sent = await until(
      'the delivery',
      () => stack.get<CallbackDetail>(`/v1/callbacks/${callback.id}`),
      (now) => now.state === 'delivered',
    );
    expect(sent.tries).toMatchObject([{ number: 1, phase: 'answered', status: 200 }]);
    expect(world.callbackReceiver.requests).toMatchObject([
      { method: 'POST', path: '/reports', body: '{"report":7}', idempotencyKey: 'report-7', committed: true },
    ]);
    expect(world.callbackReceiver.requests[0]?.headers['webhook-signature']).toMatch(/^v1,/);
    const settled = await until('the end of the release', gate, (now) => now.state === 'open');
    expect(settled.decision).toBe('allowed');
  });

  it('shows every observation under the id of its 202, and no subject by its credential', async () => {
    const page = await stack.get<ObservationPage>('/v1/observations?limit=500');
    expect(new Set(page.items.map((item) => item.id))).toEqual(new Set(accepted));
    const { items } = await stack.get<SubjectPage>('/v1/subjects');
    expect(items.map(({ type, name, tunnelId }) => ({ type, name, tunnelId }))).toEqual(
      expect.arrayContaining([
        { type: 'device', name: world.deviceName, tunnelId: null },
        { type: 'tunnel', name: 'research-agent', tunnelId: world.tunnelId },
      ]),
    );
    expect(JSON.stringify([page, items])).not.toContain(world.deviceToken);
  });
});
