import type { Callback, CallbackDetail, CallbackPage, Gate } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handOver } from '../support/hand-over.ts';
import { tellsOfLostDatabase } from '../support/provoked-lines.ts';
import { databaseUrl } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const CONTRACTS = ['deduplicated', 'forbidden'] as const;
const MANY = 40;
/** A few leases, on a machine that does other things too. */
const LEASES_MS = 60_000;

let world: World;
let stack: Stack;
let sql: Sql;

beforeAll(async () => {
  // As its destination promises: a repeat under the same key has no second effect.
  world = await startWorld({ stoppedAppDelayMs: 300, deduplicates: true });
  stack = await startStack({
    config: stackConfig(world),
    provokes: tellsOfLostDatabase,
  });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  sql = connect(databaseUrl(stack), { application: 'test', connections: 1 });
  await until('the gate opens', gate, ({ decision }) => decision === 'allowed');
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await stack?.close();
  await world?.close();
});

const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);
const requestsOf = (key: string) => world.callbackReceiver.requests.filter((request) => request.idempotencyKey === key);
const detailOf = (id: string) => stack.get<CallbackDetail>(`/v1/callbacks/${id}`);

/** Two callbacks of each contract and their keys, which begin with `name`. */
async function handOverPairs(name: string, count: number): Promise<Map<string, Callback>> {
  const taken = new Map<string, Callback>();
  for (let index = 0; index < count; index += 1) {
    for (const repeat of CONTRACTS) {
      const key = `${name}-${repeat}-${index}`;
      const url = `${world.callbackReceiver.url}/${name}`;
      taken.set(key, await handOver(stack, { url, key, repeat, body: { key } }));
    }
  }
  return taken;
}

async function kill(child: 'worker' | 'postgres'): Promise<void> {
  const pid = stack.ready().pids[child] ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(
    `${child} is back`,
    () => stack.ready().pids[child],
    (now) => now !== pid,
  );
}

/** Time travel: what a dead worker began counts as unknown when its lease ends, some seconds later. */
const endLeases = () => sql`update attempt set lease_until = clock_timestamp() where finished_at is null`;

/** Waits until nothing is under way any more, and judges every callback by what its receiver saw. */
async function judge(taken: ReadonlyMap<string, Callback>): Promise<Record<string, number>> {
  const underWay = ['queued', 'held', 'sending', 'retrying', 'ambiguous'];
  const states: Record<string, number> = {};
  for (const [key, { id, repeat }] of taken) {
    const ended = await until(
      `the end of ${key}`,
      () => detailOf(id),
      ({ state }) => !underWay.includes(state),
      LEASES_MS,
    );
    const effects = world.callbackReceiver.effectsOf(key);
    const requests = requestsOf(key);
    if (repeat === 'forbidden') expect({ key, requests: Math.max(1, requests.length) }).toEqual({ key, requests: 1 });
    else expect({ key, effects, state: ended.state }).toEqual({ key, effects: 1, state: 'delivered' });
    if (ended.state === 'delivered') expect({ key, effects }).toEqual({ key, effects: 1 });
    expect(new Set(requests.map(({ body }) => body)).size).toBeLessThanOrEqual(1);
    const name = `${repeat} ${ended.state}`;
    states[name] = (states[name] ?? 0) + 1;
  }
  expect(Object.keys(states).filter((name) => !/ delivered$|^forbidden needs_review$/.test(name))).toEqual([]);
  return states;
}

describe('a callback whose sender dies', () => {
  it(verifies('I7', 'in the middle of a request is repeated only where that is harmless'), async () => {
    world.callbackReceiver.setBehaviourFor('/cut', { kind: 'commit_then_answer_late', afterMs: 60_000 });
    const taken = await handOverPairs('cut', 1);
    await world.callbackReceiver.waitForRequests(2, 20_000);
    await kill('worker');
    world.callbackReceiver.setBehaviourFor('/cut', null);
    expect(await judge(taken)).toEqual({ 'deduplicated delivered': 1, 'forbidden needs_review': 1 });
    expect(requestsOf('cut-deduplicated-0')).toHaveLength(2);
    const [repeated] = [...taken.values()].filter(({ repeat }) => repeat === 'deduplicated');
    const { tries } = await detailOf(repeated?.id ?? '');
    expect(tries.map(({ phase, reason }) => [phase, reason])).toEqual([
      ['maybe_received', 'lease_expired'],
      ['answered', expect.any(String)],
    ]);
  });

  it(verifies('I7', 'or whose database dies before the answer is written down'), async () => {
    world.callbackReceiver.setBehaviourFor('/lost', { kind: 'commit_then_answer_late', afterMs: 150 });
    const before = world.callbackReceiver.requests.length;
    const taken = await handOverPairs('lost', 4);
    await world.callbackReceiver.waitForRequests(before + 1, 20_000);
    await kill('postgres');
    await judge(taken);
  });
});

describe('a release of many', () => {
  it(verifies('I7', 'I12', 'is interrupted by kills of the worker and doubles nothing'), async () => {
    world.callbackReceiver.setBehaviourFor('/many', { kind: 'commit_then_answer_late', afterMs: 200 });
    await world.account.deviceGoesOffline(world.deviceName);
    const taken = await handOverPairs('many', MANY / 2);
    expect([...taken.values()].map(({ state }) => state)).toEqual([...taken].map(() => 'held'));
    const before = world.callbackReceiver.requests.length;
    await world.account.deviceComesBack(world.deviceName);
    await world.callbackReceiver.waitForRequests(before + 1, 20_000);
    await kill('worker');
    await endLeases();
    await world.callbackReceiver.waitForRequests(before + 20, 20_000);
    await kill('worker');
    await endLeases();
    const states = await judge(taken);
    expect(Object.values(states).reduce((sum, count) => sum + count, 0)).toBe(MANY);
    expect(states['deduplicated delivered']).toBe(MANY / 2);
    await until('the end of the release', gate, ({ state }) => state === 'open');
  });

  it(
    verifies('I7', 'stops at a Disconnected: nothing is begun from its 202 on until the next verification'),
    async () => {
      world.callbackReceiver.setBehaviourFor('/stopped', { kind: 'commit_then_answer_late', afterMs: 300 });
      await world.account.deviceGoesOffline(world.deviceName);
      const taken = await handOverPairs('stopped', MANY / 2);
      const before = world.callbackReceiver.requests.length;
      await world.account.deviceComesBack(world.deviceName);
      await world.callbackReceiver.waitForRequests(before + 1, 20_000);
      const answers = await world.account.deviceGoesOffline(world.deviceName);
      const shutAtMs = Date.now();
      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
      const listed = () => stack.get<CallbackPage>(`/v1/callbacks?limit=500&state=held&service=${SERVICE}`);
      const { items } = await until('the rest is held', listed, (page) => page.items.length > 0);
      expect(items.length).toBeGreaterThan(MANY / 4);
      const sending = () => stack.get<CallbackPage>('/v1/callbacks?state=sending');
      await until('what was under way is over', sending, (page) => page.items.length === 0);
      const sentBefore = world.callbackReceiver.requests.length;
      const runs = () => stack.events('verification.finished').length;
      const runsBefore = runs();
      await until('verification fails twice', runs, (now) => now > runsBefore + 1);
      expect(world.callbackReceiver.requests).toHaveLength(sentBefore);

      world.callbackReceiver.setBehaviourFor('/stopped', null);
      const returnedAtMs = Date.now();
      await world.account.deviceComesBack(world.deviceName);
      expect(await judge(taken)).toEqual({ 'deduplicated delivered': MANY / 2, 'forbidden delivered': MANY / 2 });
      const begun: string[] = [];
      for (const { id } of taken.values()) begun.push(...(await detailOf(id)).tries.map(({ startedAt }) => startedAt));
      expect(begun.filter((at) => Date.parse(at) > shutAtMs && Date.parse(at) < returnedAtMs)).toEqual([]);
    },
  );
});
