import type { Bench, BenchSettings } from '../bench.ts';
import { type Measured, measureInTurn, ratios } from '../measure/measure-in-turn.ts';
import { peakMemoryMiB } from '../measure/process-usage.ts';
import { createRequest } from '../measure/send-load.ts';
import type { Goal } from '../report/print-goals.ts';
import { printProfile } from '../report/print-profile.ts';
import { printReport } from '../report/print-report.ts';
import { type Bed, startBed } from '../servers/start-bed.ts';
import type { StartedServer } from '../servers/start-server.ts';
import { createWebhookBodies, LINKED_TUNNEL } from './webhook-bodies.ts';

export const ingest: Bench = {
  name: 'ingest',
  about: 'the receiver against an echo on the same HTTP stack, and against one transaction per request',
  async run(settings, signal) {
    console.log('ingest: starting Postgres, the receiver, its one-transaction variant and an echo …');
    const bed = await startBed();
    try {
      await measure(bed, settings, signal);
    } finally {
      await bed.close();
    }
  },
};

async function measure(bed: Bed, settings: BenchSettings, signal: AbortSignal): Promise<void> {
  const { profileDir } = settings;
  const profiling =
    profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`, '--cpu-prof-interval=500'];
  const receiver = await bed.start('receiver', profiling);
  await bed.linkService(LINKED_TUNNEL);
  const oneTransaction = await bed.start('one-transaction-receiver');
  const echo = await bed.start('hono-floor');
  const nextBody = createWebhookBodies(Date.now());
  const target = (label: string, server: StartedServer, path: string) => {
    return { label, server, nextRequest: () => createRequest(path, [], nextBody()) };
  };
  const measured = await measureInTurn(
    [
      target(profileDir === null ? 'receiver' : 'receiver, slowed by profiling', receiver, bed.hookPath),
      target('echo: same HTTP stack, parses and answers', echo, '/echo'),
      target('one transaction per request, same work', oneTransaction, bed.hookPath),
    ],
    bed.postgresPid,
    settings,
    signal,
  );
  const [ofReceiver, , ofOneTransaction] = measured;
  await requireStored(bed, (ofReceiver?.answered ?? 0) + (ofOneTransaction?.answered ?? 0));
  printReport('ingest', toGoals(measured, peakMemoryMiB(receiver.pid)), measured, settings);
  if (profileDir !== null) {
    await receiver.stop();
    await printProfile(profileDir);
  }
}

/** A rate counts only if every answer kept its promise: as many deliveries are stored as were answered 202. */
async function requireStored({ sql }: Bed, recorded: number): Promise<void> {
  const [row] = await sql<{ stored: number }[]>`select count(*)::int as stored from delivery`;
  if (row?.stored !== recorded) throw new Error(`${recorded} deliveries were answered 202, ${row?.stored} are stored`);
  console.log(`  all ${recorded} deliveries that were answered 202 are stored`);
}

function toGoals([receiver, echo, oneTransaction]: readonly Measured[], peakMiB: number | null): Goal[] {
  return [
    { label: 'receiver / echo', unit: '', digits: 2, bound: { atLeast: 0.5 }, values: ratios(receiver, echo) },
    {
      label: 'receiver / one transaction per request',
      unit: '',
      digits: 1,
      bound: { atLeast: 3 },
      values: ratios(receiver, oneTransaction),
    },
    {
      label: 'receiver: latency, p99',
      unit: ' ms',
      digits: 1,
      bound: { below: 50 },
      values: receiver?.samples.map(({ p99Ms }) => p99Ms) ?? [],
    },
    {
      label: 'receiver: peak memory',
      unit: ' MiB',
      digits: 0,
      bound: { below: 200 },
      values: peakMiB === null ? [] : [peakMiB],
    },
  ];
}
