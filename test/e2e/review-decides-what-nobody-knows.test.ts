import type { CallbackDetail, CallbackPage, Gate, ReconciliationDetail, Review } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpAnswer } from '../support/call-http.ts';
import { handOver } from '../support/hand-over.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const KEYS = ['approved', 'denied', 'completed'] as const;

let world: World;
let stack: Stack;

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  stack = await startStack({ config: stackConfig(world) });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  await until(
    'the gate opens',
    () => stack.get<Gate>(`/v1/gates/${SERVICE}`),
    ({ decision }) => decision === 'allowed',
  );
});
afterAll(async () => {
  await stack?.close();
  await world?.close();
});

const detailOf = (id: string) => stack.get<CallbackDetail>(`/v1/callbacks/${id}`);
const requestsOf = (key: string) =>
  world.callbackReceiver.requests.filter(({ idempotencyKey }) => idempotencyKey === key).length;

function decide(id: string, decision: string, body: object): Promise<HttpAnswer> {
  return stack.call(`/v1/reviews/${id}/${decision}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ reason: 'seen in the books', ...body }),
  });
}

it(
  verifies('I7', 'a receiver that commits and drops the connection gets another request only by a person’s word'),
  async () => {
    world.callbackReceiver.setBehaviourFor('/books', { kind: 'commit_then_drop' });
    const ids = new Map<string, string>();
    for (const key of KEYS) {
      const url = `${world.callbackReceiver.url}/books`;
      ids.set(key, (await handOver(stack, { url, key, repeat: 'forbidden', body: { key } })).id);
    }
    const idOf = (key: (typeof KEYS)[number]) => ids.get(key) ?? '';
    const waiting = await until(
      'all wait for a person',
      () => stack.get<CallbackPage>(`/v1/reviews?service=${SERVICE}`),
      ({ items }) => items.length === KEYS.length,
    );
    expect(waiting.items.map(({ id }) => id).toSorted()).toEqual([...ids.values()].toSorted());
    world.callbackReceiver.setBehaviourFor('/books', null);

    const review = await stack.get<Review>(`/v1/reviews/${idOf('approved')}`);
    expect(review.tries).toMatchObject([{ phase: 'maybe_received', status: null }]);
    const run = await stack.get<ReconciliationDetail>(`/v1/reconciliations/${review.reconciliation?.id}`);
    expect(run.items.find(({ callback }) => callback === review.id)).toMatchObject({
      outcome: 'ambiguous',
      action: 'review',
    });

    const { payloadHash } = review;
    const other = await decide(idOf('denied'), 'approve', { payloadHash });
    expect([other.status, other.json().code]).toEqual([409, 'payload_differs']);
    expect((await decide(idOf('denied'), 'deny', {})).status).toBe(200);
    expect((await decide(idOf('completed'), 'complete', {})).status).toBe(200);
    expect((await decide(idOf('approved'), 'approve', { payloadHash })).status).toBe(200);
    const sent = await until(
      'the approved one is delivered',
      () => detailOf(idOf('approved')),
      ({ state }) => state === 'delivered',
    );
    expect(sent.tries.map(({ phase }) => phase)).toEqual(['maybe_received', 'answered']);
    expect(await detailOf(idOf('denied'))).toMatchObject({ state: 'failed', attempts: 1 });
    expect(await detailOf(idOf('completed'))).toMatchObject({ state: 'delivered', attempts: 1 });
    expect(KEYS.map(requestsOf)).toEqual([2, 1, 1]);
    expect(await stack.get<CallbackPage>('/v1/reviews')).toEqual({ items: [], nextCursor: null });
  },
);
