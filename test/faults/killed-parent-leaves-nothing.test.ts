import type { AcceptedCallback, CallbackDetail, Gate, Incident, ObservationPage } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isAlive } from '../support/find-processes.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const GONE_MS = 5000;
const DELIVERY_MS = 40_000;

let world: World;
let first: Stack;
let second: Stack;
let callback: AcceptedCallback;
const accepted: string[] = [];

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  first = await startStack({ config: stackConfig(world) });
});
afterAll(async () => {
  await second?.close();
  await first?.close();
  await world?.close();
});

const gate = (stack: Stack) => stack.get<Gate>(`/v1/gates/${SERVICE}`);
const incidents = async (stack: Stack) => (await stack.get<{ items: Incident[] }>('/v1/incidents')).items;

describe('kill -9 of the parent', () => {
  it('ends receiver, api, worker and Postgres within a few seconds', async () => {
    world.connectWebhook(first.ready().sources[0]?.webhookUrl ?? '');
    await until(
      'the gate opens',
      () => gate(first),
      ({ decision }) => decision === 'allowed',
    );
    for (const answer of await world.account.deviceGoesOffline(world.deviceName)) {
      expect(answer.status).toBe(202);
      accepted.push(JSON.parse(answer.body ?? '{}').observation);
    }
    const taken = await first.call('/v1/callbacks', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'kept' },
      body: JSON.stringify({
        service: SERVICE,
        url: `${world.callbackReceiver.url}/kept`,
        method: 'POST',
        safety: 'unsafe',
        repeat: 'forbidden',
      }),
    });
    callback = taken.json<AcceptedCallback>();
    await until(
      'the incident',
      () => incidents(first),
      (items) => items.length > 0,
    );

    const { pids } = first.ready();
    process.kill(first.pid, 'SIGKILL');
    const killedAt = performance.now();
    await until('nothing is left', first.processes, (found) => found.length === 0, GONE_MS);
    expect(performance.now() - killedAt).toBeLessThan(GONE_MS);
    expect(Object.values(pids).filter((pid) => pid !== null && isAlive(pid))).toEqual([]);
  });

  it(verifies('I1', 'and the next start on the same folder has the data, the gate and what waits'), async () => {
    second = await startStack({ config: stackConfig(world), folder: first.folder });
    expect(second.ready().adminKey).not.toBe('');
    const page = await second.get<ObservationPage>('/v1/observations');
    expect(new Set(page.items.map((item) => item.id))).toEqual(new Set(accepted));
    expect((await gate(second)).decision).toBe('held');
    expect(await incidents(second)).toMatchObject([{ kind: 'device', state: 'open', services: [SERVICE] }]);
    expect(await second.get(`/v1/callbacks/${callback.id}`)).toMatchObject({ state: 'held', attempts: 0 });
  });

  it('and ends the outage that began before', async () => {
    await world.account.deviceComesBack(world.deviceName);
    const sent = await until(
      'the delivery',
      () => second.get<CallbackDetail>(`/v1/callbacks/${callback.id}`),
      ({ state }) => state === 'delivered',
      // A verification that was cut off keeps its gate until its lease runs out.
      DELIVERY_MS,
    );
    expect(sent.tries).toHaveLength(1);
    expect(world.callbackReceiver.requests).toHaveLength(1);
    expect(await incidents(second)).toMatchObject([{ state: 'resolved' }]);
  });
});
