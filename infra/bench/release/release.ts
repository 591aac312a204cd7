import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { readProcessEnv } from '@tidegate/runtime';
import type { Bench } from '../bench.ts';
import { cpuTimeMs, peakMemoryMiB } from '../measure/process-usage.ts';
import { type Goal, printGoals } from '../report/print-goals.ts';
import { printTable } from '../report/print-table.ts';
import { type Judgement, judge } from './judge.ts';
import { type Outage, type OutagePlan, startOutage } from './start-outage.ts';

const PLAN = { callbacks: 10_000, destinations: 50, keysPerDestination: 10 };
const CUTS = 5;
const KILLS = 10;
/** How long the device stays away at each cut. */
const CUT_MS = 300;
const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 300_000;
/** Goals with BullMQ on Redis, and on Postgres, undisturbed: through kills a release waits for the leases of the dead. */
const GOAL = { redis: 500, postgres: 150 };

interface Outcome {
  /** From the device's return, so with its verification and the opening of the gate. */
  readonly elapsedMs: number;
  /** From the first request on: what is called the release. */
  readonly releaseMs: number;
  readonly cpuMs: number;
  readonly memoryMiB: number | null;
  readonly judgement: Judgement;
}

export const release: Bench = {
  name: 'release',
  about: '10,000 held callbacks over 50 destinations go when their gate opens: calmly, then through cuts and kills',
  async run(_settings, signal) {
    const { redisUrl } = readProcessEnv();
    const plan: OutagePlan = { ...PLAN, redisUrl };
    const calm = await play(plan, { cuts: 0, kills: 0 }, signal);
    const rough = await play(plan, { cuts: CUTS, kills: KILLS }, signal);
    report(calm, rough, redisUrl === null ? 'postgres' : 'redis');
  },
};

async function play(plan: OutagePlan, trouble: { cuts: number; kills: number }, signal: AbortSignal): Promise<Outcome> {
  console.log(`release: handing over ${plan.callbacks} callbacks behind a held gate …`);
  const outage = await startOutage(plan);
  try {
    const held: { fromMs: number; untilMs: number }[] = [];
    const { account, deviceName } = outage.world;
    const startedMs = performance.now();
    await account.deviceComesBack(deviceName);
    const steps = planTrouble(trouble, plan.callbacks);
    let over = false;
    while (!over) {
      if (signal.aborted) throw new Error('the bench was stopped');
      if (performance.now() - startedMs > PATIENCE_MS) throw new Error('not all callbacks ended');
      await delay(LOOK_EVERY_MS);
      const step = steps.find(({ at }) => outage.destinations.arrivals.length >= at);
      if (step === undefined) over = await isOver(outage);
      else {
        steps.splice(steps.indexOf(step), 1);
        if (step.kind === 'kill') await outage.replaceWorker();
        else held.push(await cut(outage));
      }
    }
    const elapsedMs = performance.now() - startedMs;
    const releaseMs = Date.now() - (outage.destinations.arrivals[0]?.atMs ?? Date.now());
    const { pid } = outage.worker();
    const judgement = await judge(outage, { total: plan.callbacks, held });
    console.log(`release: ${plan.callbacks} ended in ${(elapsedMs / 1000).toFixed(1)} s`);
    return { elapsedMs, releaseMs, cpuMs: cpuTimeMs(pid), memoryMiB: peakMemoryMiB(pid), judgement };
  } catch (error) {
    console.error(await outage.readLog());
    throw error;
  } finally {
    await outage.close();
  }
}

/** Cuts and kills, spread over the release by how many requests have arrived. */
function planTrouble({ cuts, kills }: { cuts: number; kills: number }, callbacks: number) {
  const spread = (count: number, kind: 'cut' | 'kill') =>
    Array.from({ length: count }, (_, index) => ({ kind, at: Math.round((callbacks * 0.9 * (index + 0.5)) / count) }));
  return [...spread(cuts, 'cut'), ...spread(kills, 'kill')];
}

async function cut({ world }: Outage): Promise<{ fromMs: number; untilMs: number }> {
  await world.account.deviceGoesOffline(world.deviceName);
  const fromMs = Date.now();
  await delay(CUT_MS);
  const untilMs = Date.now();
  await world.account.deviceComesBack(world.deviceName);
  return { fromMs, untilMs };
}

async function isOver({ sql }: Outage): Promise<boolean> {
  const [row] = await sql<{ left: boolean }[]>`
    select exists (select 1 from callback where state in ('held', 'queued', 'sending', 'retrying', 'ambiguous')) as left`;
  return row?.left === false;
}

function report(calm: Outcome, rough: Outcome, queue: keyof typeof GOAL): void {
  const rate = ({ releaseMs }: Outcome) => (PLAN.callbacks / releaseMs) * 1000;
  const none = (label: string, count: number): Goal => ({
    label,
    unit: '',
    digits: 0,
    bound: { below: 1 },
    values: [count],
  });
  const fast = (label: string, value: number): Goal => ({
    label,
    unit: '/s',
    digits: 0,
    bound: { atLeast: GOAL[queue] },
    values: [value],
  });
  console.log(`
release: ${PLAN.callbacks} held callbacks, ${PLAN.destinations} destinations, ${PLAN.keysPerDestination} ordering keys each, half of them never to be repeated. Alarms on ${queue}.
${availableParallelism()} cores shared by destinations, account, receiver, worker and Postgres (fsync on). Rough: ${CUTS} cuts, ${KILLS} kills of the worker.
`);
  printGoals([
    fast('released per second, calm', rate(calm)),
    ...[calm, rough].flatMap(({ judgement }, index) =>
      Object.entries(judgement.broken).map(([promise, count]) =>
        none(`${index === 0 ? 'calm' : 'rough'}: ${promise}`, count),
      ),
    ),
  ]);
  console.log('\nBehind them. Absolute figures depend on the machine and on what else it does.\n');
  printTable([
    ['', 'calm', 'rough'],
    ['released per second', ...[calm, rough].map((one) => rate(one).toFixed(0))],
    ['seconds from the first request', ...[calm, rough].map(({ releaseMs }) => (releaseMs / 1000).toFixed(1))],
    ['seconds from the return of the device', ...[calm, rough].map(({ elapsedMs }) => (elapsedMs / 1000).toFixed(1))],
    ['requests', ...[calm, rough].map(({ judgement }) => String(judgement.requests))],
    ['delivered', ...[calm, rough].map(({ judgement }) => String(judgement.delivered))],
    ['before a person', ...[calm, rough].map(({ judgement }) => String(judgement.needsReview))],
    ['last worker, CPU seconds', ...[calm, rough].map(({ cpuMs }) => (cpuMs / 1000).toFixed(1))],
    ['last worker, peak MiB', ...[calm, rough].map(({ memoryMiB }) => memoryMiB?.toFixed(0) ?? '')],
  ]);
}
