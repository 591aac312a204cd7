import { AppError } from '@tidegate/core';
import { afterEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { post } from '../../test/open-connection.ts';
import { HOOK, startTestListener, type TestListener, webhook } from '../../test/start-test-listener.ts';
import { createRateLimit } from './rate-limit.ts';

const RULE = { perSecond: 1, burst: 2 };
const listeners: TestListener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close())));

/** A listener whose clock stands still, so that a bucket holds what it holds. */
async function limited(hold: (sourceIds: readonly number[]) => Promise<void>): Promise<TestListener> {
  const listener = await startTestListener({ limit: createRateLimit({ rule: RULE, hold, now: () => 0 }) });
  listeners.push(listener);
  return listener;
}

describe('a source that posts more often than it may', () => {
  it(verifies('I2', 'is answered 429 only after its gates were held, and told when to come back'), async () => {
    const told: string[] = [];
    const listener = await limited(async (ids) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      told.push(`held ${ids.join()}`);
    });
    const send = () => listener.send(post(HOOK, webhook()));
    expect([(await send()).status, (await send()).status]).toEqual([202, 202]);
    expect(told).toEqual([]);
    const answer = await send();
    told.push('answered');
    expect(told).toEqual(['held 1', 'answered']);
    expect(answer.status).toBe(429);
    expect(answer.head.toLowerCase()).toContain('\nretry-after: 1\n');
    expect(answer.head.toLowerCase()).toContain('\ncontent-type: application/problem+json\n');
    expect(listener.submitted).toHaveLength(2);
    expect(listener.rejected).toEqual([{ status: 429, reason: 'rate_limited', source: 'home-lab' }]);
    expect(listener.tallied.map(([, outcome]) => outcome)).toEqual(['recorded', 'repeated', 'rate_limited']);
  });

  it('is listened to all the same while its gates cannot be held', async () => {
    const listener = await limited(() =>
      Promise.reject(new AppError({ code: 'store_unavailable', publicMessage: 'away', retryable: true })),
    );
    const answers = await Promise.all([1, 2, 3].map(() => listener.send(post(HOOK, webhook()))));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(listener.submitted).toHaveLength(3);
    expect(listener.rejected).toEqual([]);
  });

  it('learns nothing that a stranger would: an unknown secret stays a 404', async () => {
    const listener = await limited(async () => undefined);
    for (let times = 0; times < 4; times += 1) {
      const answer = await listener.send(post('/hooks/localtonet/k7wq2m5x9d3v8h4t6n1s', webhook()));
      expect(answer.status).toBe(404);
    }
  });
});

describe('holding the gates of those turned away', () => {
  it('is shared by those that came before it began, and by no other', async () => {
    const begun: { readonly ids: readonly number[]; readonly finish: () => void }[] = [];
    const limit = createRateLimit({
      rule: { perSecond: 1, burst: 1 },
      hold: (ids) => new Promise((resolve) => begun.push({ ids, finish: () => resolve() })),
      now: () => 0,
    });
    const settled: string[] = [];
    const turnAway = (name: string, source: number) =>
      Promise.resolve(limit(source)).then(() => void settled.push(name));
    for (const source of [1, 2]) expect(limit(source)).toBe(0);
    const first = [turnAway('a', 1), turnAway('b', 2), turnAway('c', 1)];
    await expect.poll(() => begun.length).toBe(1);
    expect(begun[0]?.ids).toEqual([1, 2]);
    const late = turnAway('late', 2);
    begun[0]?.finish();
    await Promise.all(first);
    expect(settled).toEqual(['a', 'b', 'c']);
    await expect.poll(() => begun.length).toBe(2);
    expect(begun[1]?.ids).toEqual([2]);
    begun[1]?.finish();
    await late;
  });
});
