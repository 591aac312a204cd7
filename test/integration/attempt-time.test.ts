import { readCallback } from '@tidegate/store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFinisher } from '../../apps/worker/src/release/create-finisher.ts';
import { type EndingOutcome, endAttempt } from '../../apps/worker/src/release/end-attempt.ts';
import { makeWorkerContext } from '../support/make-worker-context.ts';
import { claim, hand } from '../support/plant-callbacks.ts';
import { plantService } from '../support/plant-service.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

const MINUTE_MS = 60_000;

let database: TestDatabase;
let made: Awaited<ReturnType<typeof makeWorkerContext>>;

beforeAll(async () => {
  database = await createTestDatabase();
  const retry = { attempts: 8, baseDelayMs: 1000, maxDelayMs: 300_000, maxElapsedMs: MINUTE_MS };
  const policy = { release: { canary: 1, maxPerSecond: 100, retry } };
  made = await makeWorkerContext({ databaseUrl: database.url, localtonet: null, policy });
  await plantService(made.context.sql, 'agent');
  await made.context.sql`update gate set state = 'open', reason = 'verified'`;
});

afterAll(async () => {
  await made.close();
  await database.drop();
});

async function endOne(outcome: Partial<EndingOutcome>) {
  const { context } = made;
  await hand(context.sql, { repeat: 'deduplicated' });
  const [claimed] = await claim(context.sql);
  if (claimed === undefined) throw new Error('not claimed');
  await endAttempt(
    context,
    createFinisher(context),
    { ...claimed, lapsed: false },
    { phase: 'answered', status: 429, reason: 'answered', latencyMs: 1, ...outcome },
  );
  const ended = await readCallback(context.sql, claimed.id, null);
  return [ended?.state, ended?.reason];
}

it(verifies('I9', 'counts the time that an attempt took before it plans the next'), async () => {
  // With half a second of jitter: half a second before the minute is over, and half a second after it.
  expect(await endOne({ retryAfterMs: 50_000, latencyMs: 9000 })).toEqual(['retrying', 'try_later']);
  expect(await endOne({ retryAfterMs: 50_000, latencyMs: 10_000 })).toEqual(['failed', 'retry_elapsed_exhausted']);
});

it('plans no retry that would be too late when it is due', async () => {
  expect(await endOne({ retryAfterMs: MINUTE_MS })).toEqual(['failed', 'retry_elapsed_exhausted']);
  expect(await endOne({ retryAfterMs: 86_400_000 })).toEqual(['failed', 'retry_elapsed_exhausted']);
});
