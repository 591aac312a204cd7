import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type FleetDevice, sendBurst, type WebhookEvent } from '@tidegate/simulator';
import { listIncidents, readGates } from '@tidegate/store';
import type { Bench } from '../bench.ts';
import { peakMemoryMiB } from '../measure/process-usage.ts';
import { type Goal, printGoals } from '../report/print-goals.ts';
import { printTable } from '../report/print-table.ts';
import { type Storm, serviceOf, startStorm } from './start-storm.ts';

const PLAN = { devices: 5000, tunnelsPerDevice: 20, services: 1000 };
/** The whole fleet drops within half a minute. */
const BURST_MS = 28_000;
const SLICE_MS = 500;
const CONNECTIONS = 64;
const LOOK_EVERY_MS = 200;
const PATIENCE_MS = 300_000;

/** What one storm showed. */
interface Outcome {
  readonly accepted: number;
  readonly refused: number;
  readonly burstMs: number;
  /** Gates that answered allowed after the 202 of their device's Disconnected. */
  readonly openAfterAnswer: number;
  readonly incidents: number;
  readonly members: number;
  readonly correlatedMs: number;
  readonly transactions: number;
  readonly memoryMiB: number | null;
  readonly reopenedMs: number;
  readonly apiAtOnce: number;
  readonly agentAtOnce: number;
}

export const storm: Bench = {
  name: 'storm',
  about: '100,000 tunnels on 5,000 devices drop within 30 s: one incident; then 1,000 devices come back at once',
  async run(_settings, signal) {
    console.log('storm: starting a fleet, Postgres, the receiver and the worker …');
    const started = await startStorm(PLAN);
    try {
      report(await play(started, signal));
    } catch (error) {
      console.error(await started.readLog());
      throw error;
    } finally {
      await started.close();
    }
  },
};

async function play(running: Storm, signal: AbortSignal): Promise<Outcome> {
  const { fleet, account, agent, sql, worker } = running;
  const served = fleet.devices.slice(0, PLAN.services);
  const openedMs = await untilGates(running, 'open', signal);
  console.log(`storm: ${PLAN.services} gates open by verification, ${(openedMs / 1000).toFixed(1)} s after the start`);

  // An hour earlier everything had connected: no subject is new to the receiver.
  const earlier = fleet.events('Connected', { startMs: Date.now() - 3_600_000 });
  await sendBurst(running.webhookUrl, earlier, { concurrency: CONNECTIONS, signal });
  await until('the quiet before it', async () => (await sql`select 1 from pending limit 1`).length === 0, signal);
  for (const { name } of fleet.devices) await account.deviceGoesOffline(name);
  const spacingTicks = Math.round((BURST_MS * 10_000) / fleet.subjectCount);
  const events = fleet.events('Disconnected', { startMs: Date.now(), spacingTicks });
  const dropped = await sendSlowly(running, served, events, signal);
  console.log(`storm: ${dropped.accepted} reports accepted in ${(dropped.elapsedMs / 1000).toFixed(1)} s`);
  const before = await countTransactions(running);
  const endedMs = performance.now();
  await until('everything is correlated', async () => (await readMass(running)).members >= fleet.subjectCount, signal);
  const correlatedMs = performance.now() - endedMs;
  const transactions = (await countTransactions(running)) - before;
  const mass = await readMass(running);
  console.log(
    `storm: one page for ${mass.members} subjects, ${(correlatedMs / 1000).toFixed(1)} s after the last report`,
  );

  for (const { name } of served) await account.deviceComesBack(name);
  const back = fleet.events('Connected', { startMs: Date.now(), devices: served });
  await sendBurst(running.webhookUrl, back, { concurrency: CONNECTIONS, signal });
  const reopenedMs = await untilGates(running, 'open', signal);
  console.log(`storm: ${PLAN.services} devices came back at once`);
  return {
    accepted: dropped.accepted,
    refused: dropped.refused,
    burstMs: dropped.elapsedMs,
    openAfterAnswer: dropped.openAfterAnswer,
    incidents: await countIncidents(sql),
    members: mass.members,
    correlatedMs,
    transactions,
    memoryMiB: peakMemoryMiB(worker.pid),
    reopenedMs,
    apiAtOnce: account.peakInFlight,
    agentAtOnce: agent.peakInFlight,
  };
}

/** Sends the burst in slices, so that it lasts as long as the outage; after each 202 of a served device its gate is read. */
async function sendSlowly(
  { webhookUrl, sql }: Storm,
  served: readonly FleetDevice[],
  events: readonly WebhookEvent[],
  signal: AbortSignal,
) {
  const serviceOfToken = new Map(served.map(({ token }, index) => [token, serviceOf(index)]));
  const checks: Promise<boolean>[] = [];
  const startedMs = performance.now();
  const slices = BURST_MS / SLICE_MS;
  const size = Math.ceil(events.length / slices);
  const tally = { accepted: 0, refused: 0 };
  for (let slice = 0; slice < slices && !signal.aborted; slice += 1) {
    await delay(Math.max(0, startedMs + slice * SLICE_MS - performance.now()));
    await sendBurst(webhookUrl, events.slice(slice * size, (slice + 1) * size), {
      concurrency: CONNECTIONS,
      signal,
      onOutcome: (outcome, event) => {
        const isAccepted = outcome.outcome === 'answered' && outcome.status === 202;
        tally[isAccepted ? 'accepted' : 'refused'] += 1;
        const service = typeof event === 'string' ? undefined : serviceOfToken.get(event.Id);
        if (isAccepted && service !== undefined) checks.push(isOpen(sql, service));
      },
    });
  }
  const elapsedMs = performance.now() - startedMs;
  const answers = await Promise.all(checks);
  return { ...tally, elapsedMs, openAfterAnswer: answers.filter((open) => open).length };
}

async function isOpen(sql: Storm['sql'], service: string): Promise<boolean> {
  const [gate] = await readGates(sql, [service], 5000);
  return gate === undefined || gate.state === 'open' || gate.state === 'releasing';
}

async function untilGates({ sql }: Storm, state: 'open', signal: AbortSignal): Promise<number> {
  const startedMs = performance.now();
  await until(
    'all gates are open',
    async () => {
      const [row] = await sql<{ count: number }[]>`select count(*)::int as count from gate where state = ${state}`;
      return row?.count === PLAN.services;
    },
    signal,
  );
  return performance.now() - startedMs;
}

async function readMass({ sql }: Storm): Promise<{ members: number }> {
  const [row] = await sql<{ members: number }[]>`
    select count(*)::int as members from incident_subject x join incident i on i.id = x.incident_id where i.kind = 'mass' and i.state <> 'resolved'`;
  return row ?? { members: 0 };
}

async function countIncidents(sql: Storm['sql']): Promise<number> {
  return (await listIncidents(sql, { state: null, cursor: null, limit: 500, services: null })).items.length;
}

async function countTransactions({ sql }: Storm): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select xact_commit + xact_rollback as count from pg_stat_database where datname = current_database()`;
  return row?.count ?? 0;
}

async function until(what: string, isSo: () => Promise<boolean>, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (signal.aborted) throw new Error('the bench was stopped');
    if (performance.now() > deadline) throw new Error(`${what}: not within ${PATIENCE_MS / 1000} s`);
    await delay(LOOK_EVERY_MS);
  }
}

function report(outcome: Outcome): void {
  const goal = (label: string, unit: string, below: number, value: number | null, digits = 0): Goal => ({
    label,
    unit,
    digits,
    bound: { below },
    values: value === null ? [] : [value],
  });
  console.log(`
storm: ${PLAN.devices} devices with ${PLAN.tunnelsPerDevice} tunnels each drop in ${(outcome.burstMs / 1000).toFixed(1)} s under the default policy; then ${PLAN.services} devices
come back at once. ${availableParallelism()} cores shared by load, account, receiver, worker and Postgres (fsync on). One round.
`);
  printGoals([
    goal('reports not accepted', '', 1, outcome.refused),
    goal('gates open after the 202 of their Disconnected', '', 1, outcome.openAfterAnswer),
    goal('incidents told', '', 2, outcome.incidents),
    goal('correlated after the last report', ' s', 10, outcome.correlatedMs / 1000, 1),
    goal('worker, peak memory', ' MiB', 512, outcome.memoryMiB),
    goal('calls to the API at once', '', 5, outcome.apiAtOnce),
    goal('probes of one agent at once', '', 5, outcome.agentAtOnce),
  ]);
  console.log('\nBehind them. Absolute figures depend on the machine and on what else it does.\n');
  printTable([
    ['subjects in the incident', String(outcome.members)],
    ['transactions from the last report to the end of correlation', String(outcome.transactions)],
    [
      `all ${PLAN.services} gates open again after their devices came back`,
      `${(outcome.reopenedMs / 1000).toFixed(1)} s`,
    ],
  ]);
}
