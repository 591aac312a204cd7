import { availableParallelism } from 'node:os';
import type { Bench, BenchSettings } from '../bench.ts';
import { median, percentile } from '../measure/median.ts';
import { cpuTimeMs, peakMemoryMiB } from '../measure/process-usage.ts';
import { type LoadResult, sendLoad } from '../measure/send-load.ts';
import { printGoals, printTable } from '../report/print-goals.ts';
import type { StartedServer } from './start-server.ts';
import { startTargets, type Targets } from './start-targets.ts';
import { createWebhookBodies } from './webhook-bodies.ts';

const CONNECTIONS = 64;
const WARM_UP_MS = 2000;

type Name = 'receiver' | 'oneTransaction' | 'echo';
const NAMES: readonly Name[] = ['receiver', 'echo', 'oneTransaction'];
const LABELS: Readonly<Record<Name, string>> = {
  receiver: 'receiver',
  echo: 'echo: same HTTP stack, parses and answers',
  oneTransaction: 'one transaction per request, same work',
};

/** One measurement of one target; CPU in microseconds per request. */
interface Sample {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuUs: { readonly server: number; readonly postgres: number; readonly load: number };
}

export const ingest: Bench = {
  name: 'ingest',
  about: 'the receiver against an echo of the same HTTP stack, and against one transaction per request',
  async run(settings, signal) {
    console.log('Starting Postgres, the receiver, its one-transaction variant and the echo …');
    const targets = await startTargets();
    try {
      const samples = await measure(targets, settings, signal);
      report(samples, peakMemoryMiB(targets.receiver.pid), settings);
    } finally {
      await targets.stop();
    }
  },
};

/** Each target once per round, in turn, so that what else the machine does meets all of them alike. */
async function measure(
  targets: Targets,
  settings: BenchSettings,
  signal: AbortSignal,
): Promise<Record<Name, Sample[]>> {
  const nextBody = createWebhookBodies(Date.now());
  let recorded = 0;
  const load = async (name: Name, durationMs: number) => {
    const path = name === 'echo' ? '/echo' : targets.hookPath;
    const { port } = targets[name];
    const result = await sendLoad({ port, path, connections: CONNECTIONS, durationMs, nextBody, signal });
    if (result.refused > 0) throw new Error(`${LABELS[name]} refused ${result.refused} of ${result.answered} requests`);
    if (name !== 'echo') recorded += result.answered;
    return result;
  };
  for (const name of NAMES) await load(name, WARM_UP_MS);
  const samples: Record<Name, Sample[]> = { receiver: [], echo: [], oneTransaction: [] };
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const name of NAMES) {
      const run = () => load(name, settings.seconds * 1000);
      const sample = await withUsage(targets[name], targets.postgresPid, run);
      samples[name].push(sample);
      console.log(`  round ${round}  ${LABELS[name]}: ${Math.round(sample.perSecond)}/s`);
    }
  }
  await requireStored(targets, recorded);
  return samples;
}

async function withUsage(server: StartedServer, postgresPid: number, run: () => Promise<LoadResult>): Promise<Sample> {
  const read = () => ({ server: cpuTimeMs(server.pid), postgres: cpuTimeMs(postgresPid), load: process.cpuUsage() });
  const before = read();
  const { answered, seconds, latenciesMs } = await run();
  const after = read();
  const perRequest = (ms: number) => (ms * 1000) / answered;
  const loadUs = after.load.user + after.load.system - before.load.user - before.load.system;
  return {
    perSecond: answered / seconds,
    p99Ms: percentile(latenciesMs, 0.99),
    cpuUs: {
      server: perRequest(after.server - before.server),
      postgres: perRequest(after.postgres - before.postgres),
      load: loadUs / answered,
    },
  };
}

/** A rate counts only if every answer kept its promise: as many deliveries are stored as were answered 202. */
async function requireStored({ sql }: Targets, recorded: number): Promise<void> {
  const [row] = await sql<{ stored: number }[]>`select count(*)::int as stored from delivery`;
  if (row?.stored !== recorded) throw new Error(`${recorded} deliveries were answered 202, ${row?.stored} are stored`);
}

function report(samples: Record<Name, Sample[]>, peakMiB: number | null, { rounds, seconds }: BenchSettings): void {
  const ratios = (over: Name) =>
    samples.receiver.map((sample, round) => sample.perSecond / (samples[over][round]?.perSecond ?? Number.NaN));
  console.log(
    `\ningest: ${CONNECTIONS} keep-alive connections (node:net sockets, one request in flight on each), ${rounds} rounds of` +
      ` ${seconds} s each in turn,\n${availableParallelism()} cores shared by load, server and Postgres (fsync on); every 202 found stored.\n`,
  );
  printGoals([
    { label: 'receiver / echo', unit: '', digits: 2, bound: { atLeast: 0.5 }, values: ratios('echo') },
    {
      label: 'receiver / one transaction',
      unit: '',
      digits: 1,
      bound: { atLeast: 3 },
      values: ratios('oneTransaction'),
    },
    {
      label: 'receiver, p99 of latency',
      unit: ' ms',
      digits: 1,
      bound: { below: 50 },
      values: samples.receiver.map((sample) => sample.p99Ms),
    },
    {
      label: 'receiver, peak memory',
      unit: ' MiB',
      digits: 0,
      bound: { below: 200 },
      values: peakMiB === null ? [] : [peakMiB],
    },
  ]);
  console.log(
    '\nBehind the ratios (medians; these figures depend on the machine and on what else it does, the ratios less so):',
  );
  printTable([
    ['', 'requests/s', 'CPU µs per request: server', 'Postgres', 'load'],
    ...NAMES.map((name) => {
      const of = (pick: (sample: Sample) => number) => median(samples[name].map(pick)).toFixed(0);
      return [
        LABELS[name],
        of((sample) => sample.perSecond),
        of((sample) => sample.cpuUs.server),
        of((sample) => sample.cpuUs.postgres),
        of((sample) => sample.cpuUs.load),
      ];
    }),
  ]);
}
