import type { CallbackDetail, Gate, ReconciliationPage } from '@tidegate/client';
import { type CallbackReceiver, startCallbackReceiver, startWorld, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handOver } from '../support/hand-over.ts';
import { databaseUrl } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

/** `pnpm bench release` does the same with 10,000 callbacks, 50 destinations, five cuts and ten kills. */
const DESTINATIONS = 6;
const KEYS = 3;
const TURNS = 8;
const CUTS = 2;
const KILLS = 2;
const TOTAL = DESTINATIONS * KEYS * TURNS;
const PATIENCE_MS = 90_000;

let world: World;
let stack: Stack;
let sql: Sql;
const receivers: CallbackReceiver[] = [];

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  for (let index = 0; index < DESTINATIONS; index += 1) {
    receivers.push(await startCallbackReceiver({ deduplicates: true }));
    receivers.at(-1)?.setBehaviour({ kind: 'commit_then_answer_late', afterMs: 50 });
  }
  stack = await startStack({ config: stackConfig(world, { policy: { release: { maxPerSecond: 100 } } }) });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  sql = connect(databaseUrl(stack), { application: 'test', connections: 1 });
  await until('the gate opens', gate, ({ decision }) => decision === 'allowed');
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await stack?.close();
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await world?.close();
});

const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);
const arrived = () => receivers.reduce((sum, { requests }) => sum + requests.length, 0);

/** Each ordering key in its order; half of the destinations must never be asked twice. */
async function handOverAll(): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const [index, receiver] of receivers.entries()) {
      const repeat = index % 2 === 0 ? ('deduplicated' as const) : ('forbidden' as const);
      const round = Array.from({ length: KEYS }, (_, name) => ({
        orderingKey: `${index}.${name}`,
        key: `${index}.${name}.${turn}`,
      }));
      const taken = await Promise.all(
        round.map((one) => handOver(stack, { ...one, url: `${receiver.url}/done`, repeat, body: one })),
      );
      for (const [place, one] of round.entries()) ids.set(one.key, taken[place]?.id ?? '');
    }
  }
  return ids;
}

async function cut(): Promise<{ fromMs: number; untilMs: number }> {
  await world.account.deviceGoesOffline(world.deviceName);
  const fromMs = Date.now();
  await until('the gate is held', gate, ({ decision }) => decision === 'held');
  const untilMs = Date.now();
  await world.account.deviceComesBack(world.deviceName);
  return { fromMs, untilMs };
}

async function killWorker(): Promise<void> {
  const pid = stack.ready().pids.worker ?? 0;
  process.kill(pid, 'SIGKILL');
  await until(
    'a worker is back',
    () => stack.ready().pids.worker,
    (now) => now !== pid,
  );
}

it(verifies('I7', 'I12', 'a release goes on through cuts and kills, once and in order'), async () => {
  await world.account.deviceGoesOffline(world.deviceName);
  const ids = await handOverAll();
  await world.account.deviceComesBack(world.deviceName);
  const held: { fromMs: number; untilMs: number }[] = [];
  for (let step = 0; step < CUTS + KILLS; step += 1) {
    const so = Math.floor((TOTAL * (step + 0.5)) / (CUTS + KILLS + 1));
    await until(`${so} requests have arrived`, arrived, (now) => now >= so, PATIENCE_MS);
    if (step % 2 === 0) held.push(await cut());
    else await killWorker();
  }
  const left = async () => {
    const [row] = await sql<{ n: number }[]>`
      select count(*)::int as n from callback where state not in ('delivered', 'needs_review')`;
    return row?.n;
  };
  await until('nothing is under way', left, (n) => n === 0, PATIENCE_MS);

  for (const [index, receiver] of receivers.entries()) {
    const keys = receiver.requests.map(({ idempotencyKey }) => idempotencyKey ?? '');
    const firsts = [...new Set(keys)];
    if (index % 2 === 1) expect(firsts).toEqual(keys);
    for (const key of firsts) expect([key, receiver.effectsOf(key)]).toEqual([key, 1]);
    for (let name = 0; name < KEYS; name += 1) {
      const turns = firsts.filter((key) => key.startsWith(`${index}.${name}.`)).map((key) => Number(key.split('.')[2]));
      expect(turns).toEqual([...turns].sort((a, b) => a - b));
    }
  }
  const details = await Promise.all([...ids.values()].map((id) => stack.get<CallbackDetail>(`/v1/callbacks/${id}`)));
  const review = details.filter(({ state }) => state === 'needs_review');
  expect(review.filter(({ repeat }) => repeat !== 'forbidden')).toEqual([]);
  expect(details.filter(({ state }) => state === 'delivered')).toHaveLength(TOTAL - review.length);
  const begun = details.flatMap(({ tries }) => tries.map(({ startedAt }) => Date.parse(startedAt)));
  for (const { fromMs, untilMs } of held) expect(begun.filter((at) => at > fromMs && at < untilMs)).toEqual([]);
  const { items } = await stack.get<ReconciliationPage>(`/v1/reconciliations?service=${SERVICE}&limit=500`);
  expect(items.filter(({ trigger }) => trigger === 'release').length).toBeGreaterThanOrEqual(CUTS + 1);
});
