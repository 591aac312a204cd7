import type { CallbackDetail, Gate } from '@tidegate/client';
import { type CallbackReceiver, startCallbackReceiver, startWorld, type World } from '@tidegate/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handOver } from '../support/hand-over.ts';
import { type LoneApp, runAppAlone } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const DESTINATIONS = 3;
const KEYS = 6;
const TURNS = 8;
const OF_EACH = KEYS * TURNS;
const TOTAL = DESTINATIONS * OF_EACH;
const MAX_PER_SECOND = 12;
const CANARY_MS = 400;
const ANSWER_MS = 20;
/** A timer may fire this much early. */
const EARLY_MS = 5;
const PATIENCE_MS = 60_000;

let world: World;
let stack: Stack;
const receivers: CallbackReceiver[] = [];
const others: LoneApp[] = [];
const ids = new Map<string, string>();

const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);
const arrived = () => receivers.reduce((sum, { requests }) => sum + requests.length, 0);

/** Three workers stand ready, on one store, when the gate of everything that waits is opened. */
beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  for (let index = 0; index < DESTINATIONS; index += 1) {
    const receiver = await startCallbackReceiver();
    receiver.behaveNext({ kind: 'commit_then_answer_late', afterMs: CANARY_MS });
    receiver.setBehaviour({ kind: 'commit_then_answer_late', afterMs: ANSWER_MS });
    receivers.push(receiver);
  }
  stack = await startStack({ config: stackConfig(world, { policy: { release: { maxPerSecond: MAX_PER_SECOND } } }) });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  others.push(...(await Promise.all([runAppAlone(stack, 'worker'), runAppAlone(stack, 'worker')])));
  await until('the gate opens', gate, ({ decision }) => decision === 'allowed');
  await world.account.deviceGoesOffline(world.deviceName);
  for (let turn = 0; turn < TURNS; turn += 1) {
    const round = receivers.flatMap((receiver, index) =>
      Array.from({ length: KEYS }, (_, name) => ({ receiver, orderingKey: `${index}.${name}` })),
    );
    const taken = await Promise.all(
      round.map(({ receiver, orderingKey }, place) => {
        const repeat = place % 2 === 0 ? ('deduplicated' as const) : ('forbidden' as const);
        return handOver(stack, { url: `${receiver.url}/done`, key: `${orderingKey}.${turn}`, orderingKey, repeat });
      }),
    );
    for (const [place, { orderingKey }] of round.entries()) ids.set(`${orderingKey}.${turn}`, taken[place]?.id ?? '');
  }
  if (arrived() > 0) throw new Error('something was sent while the gate was held');
  await world.account.deviceComesBack(world.deviceName);
  await until('all have arrived', arrived, (count) => count >= TOTAL, PATIENCE_MS);
  await until('the release is over', gate, ({ state }) => state === 'open', PATIENCE_MS);
}, 150_000);
afterAll(async () => {
  await Promise.all(others.map((other) => other.stop()));
  await stack?.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await world?.close();
});

describe(verifies('I7', 'I12', 'several workers that release the same service'), () => {
  it('have one effect per key, by the log of the receivers, and all of them had a part in it', async () => {
    for (const receiver of receivers) {
      const keys = receiver.requests.map(({ idempotencyKey }) => idempotencyKey ?? '');
      expect([keys.length, new Set(keys).size]).toEqual([OF_EACH, OF_EACH]);
      expect(keys.filter((key) => receiver.effectsOf(key) !== 1)).toEqual([]);
    }
    for (const id of ids.values()) {
      expect(await stack.get<CallbackDetail>(`/v1/callbacks/${id}`)).toMatchObject({ state: 'delivered', attempts: 1 });
    }
    const delivered = (text: string) => text.split('"event":"callback.delivered"').length - 1;
    const parts = [stack.output().stderr, ...others.map((other) => other.output())].map(delivered);
    expect(parts.reduce((sum, count) => sum + count, 0)).toBe(TOTAL);
    expect(parts.filter((count) => count > 0).length).toBeGreaterThan(1);
  });

  it('keep the order of each ordering key, one at a time', () => {
    for (const [index, receiver] of receivers.entries()) {
      for (let name = 0; name < KEYS; name += 1) {
        const own = receiver.requests.filter(({ idempotencyKey }) => idempotencyKey?.startsWith(`${index}.${name}.`));
        expect(own.map(({ idempotencyKey }) => Number(idempotencyKey?.split('.')[2]))).toEqual([
          0, 1, 2, 3, 4, 5, 6, 7,
        ]);
        const gaps = own.slice(1).map(({ atMs }, place) => atMs - (own[place]?.atMs ?? 0));
        expect(gaps.filter((gapMs) => gapMs < ANSWER_MS - EARLY_MS)).toEqual([]);
      }
    }
  });

  it('send one canary to each destination, and nothing else before it is answered', () => {
    for (const { requests } of receivers) {
      const [canary, next] = requests;
      expect((next?.atMs ?? 0) - (canary?.atMs ?? 0)).toBeGreaterThanOrEqual(CANARY_MS - EARLY_MS);
    }
  });

  it('share one cap per destination and second', () => {
    for (const { requests } of receivers) {
      const at = requests.map(({ atMs }) => atMs).sort((a, b) => a - b);
      // Seconds are counted from the first request of each, so that two full ones may touch.
      const inSecond = at.map((from) => at.filter((one) => one >= from && one < from + 1000).length);
      expect(Math.max(...inSecond)).toBeLessThanOrEqual(2 * MAX_PER_SECOND);
      const fullSeconds = OF_EACH / MAX_PER_SECOND - 2;
      expect((at.at(-1) ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(fullSeconds * 1000);
    }
  });
});
