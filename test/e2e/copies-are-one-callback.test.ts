import {
  type AcceptedCallback,
  type CallbackDetail,
  type CallbackPage,
  type Gate,
  problemSchema,
} from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callHttp, type HttpAnswer } from '../support/call-http.ts';
import { type LoneApp, runAppAlone } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const COPIES = 200;

let world: World;
let stack: Stack;
let second: LoneApp;

beforeAll(async () => {
  // Nothing is deduplicated there: every request that arrives is an effect.
  world = await startWorld({ stoppedAppDelayMs: 300 });
  stack = await startStack({ config: stackConfig(world) });
  second = await runAppAlone(stack, 'api');
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  await until(
    'the gate opens',
    () => stack.get<Gate>(`/v1/gates/${SERVICE}`),
    ({ decision }) => decision === 'allowed',
  );
});
afterAll(async () => {
  await second?.stop();
  await stack?.close();
  await world?.close();
});

/** One copy, to the first api or the second. */
function post(key: string, index: number): Promise<HttpAnswer> {
  const { apiUrl, adminKey } = stack.ready();
  return callHttp(`${index % 2 === 0 ? apiUrl : second.url}/v1/callbacks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({
      service: SERVICE,
      url: `${world.callbackReceiver.url}/copies`,
      method: 'POST',
      body: { key },
      safety: 'unsafe',
      repeat: 'forbidden',
    }),
    timeoutMs: 30_000,
  });
}

const replayed = (answer: HttpAnswer) => answer.headers['idempotency-replayed'] === 'true';

it.each(['first', 'second', 'third'])(
  verifies('I8', '200 copies at once over two api processes are one callback and one request, the %s time too'),
  async (round) => {
    const key = `copies-${round}`;
    const copies = await Promise.all(Array.from({ length: COPIES }, (_, index) => post(key, index)));
    const taken = copies.filter(({ status }) => status === 201);
    const busy = copies.filter(({ status }) => status === 409);
    expect(taken.length + busy.length).toBe(COPIES);
    expect(taken.filter((answer) => !replayed(answer))).toHaveLength(1);
    for (const answer of busy) {
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect(problemSchema.parse(answer.json())).toMatchObject({ status: 409, code: 'idempotency_key_in_use' });
    }
    const later = await Promise.all([post(key, 0), post(key, 1)]);
    expect(later.map((answer) => [answer.status, replayed(answer)])).toEqual([
      [201, true],
      [201, true],
    ]);
    const ids = new Set([...taken, ...later].map((answer) => answer.json<AcceptedCallback>().id));
    expect(ids.size).toBe(1);

    const [id] = ids;
    await until(
      'it is delivered',
      () => stack.get<CallbackDetail>(`/v1/callbacks/${id}`),
      ({ state }) => state === 'delivered',
    );
    const { items } = await stack.get<CallbackPage>('/v1/callbacks?limit=500');
    expect(items.filter(({ state }) => state !== 'delivered')).toEqual([]);
    expect(items.filter((callback) => callback.id === id)).toHaveLength(1);
    const requests = world.callbackReceiver.requests.filter((request) => request.idempotencyKey === key);
    expect(requests).toHaveLength(1);
    expect(world.callbackReceiver.requests).toHaveLength(items.length);
  },
);
