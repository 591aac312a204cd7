import type { BenchSettings } from '../bench.ts';
import type { StartedServer } from '../servers/start-server.ts';
import { percentile } from './median.ts';
import { cpuTimeMs } from './process-usage.ts';
import { type LoadResult, sendLoad } from './send-load.ts';

export const CONNECTIONS = 64;

/** Until then a server still compiles its hot path, which would be counted as its work. */
const WARM_UP = { requests: 30_000, mostMs: 12_000, stepMs: 1000 };

/** One server under load. */
export interface Target {
  readonly label: string;
  readonly server: StartedServer;
  readonly nextRequest: () => string;
}

/** One measurement of one target; CPU in microseconds per request. */
export interface Sample {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly cpuUs: { readonly server: number; readonly postgres: number; readonly load: number };
}

export interface Measured {
  readonly label: string;
  /** One per round. */
  readonly samples: readonly Sample[];
  /** All requests answered 2xx, those of the warm-up included. */
  readonly answered: number;
}

/**
 * Warms every target up, then measures each once per round, in turn, so that what else the machine does meets all of them
 * alike. Gives them in the order given. Throws when one answers anything but 2xx: a rate of refusals means nothing.
 */
export async function measureInTurn(
  targets: readonly Target[],
  postgresPid: number,
  settings: BenchSettings,
  signal: AbortSignal,
): Promise<Measured[]> {
  const results = targets.map(({ label }) => ({ label, samples: [] as Sample[], answered: 0 }));
  const load = async (index: number, durationMs: number): Promise<LoadResult> => {
    const [target, result] = [targets[index], results[index]];
    if (target === undefined || result === undefined) throw new RangeError('no such target');
    const { server, nextRequest } = target;
    const done = await sendLoad({ port: server.port, connections: CONNECTIONS, durationMs, nextRequest, signal });
    if (done.refused > 0) throw new Error(`${target.label} refused ${done.refused} of ${done.answered} requests`);
    result.answered += done.answered;
    return done;
  };
  for (const index of targets.keys()) {
    const untilMs = performance.now() + WARM_UP.mostMs;
    while ((results[index]?.answered ?? 0) < WARM_UP.requests && performance.now() < untilMs) {
      await load(index, WARM_UP.stepMs);
    }
  }
  for (let round = 1; round <= settings.rounds; round += 1) {
    for (const [index, { label, server }] of targets.entries()) {
      const sample = await withUsage(server.pid, postgresPid, () => load(index, settings.seconds * 1000));
      results[index]?.samples.push(sample);
      console.log(`  round ${round}: ${label}, ${Math.round(sample.perSecond)}/s`);
    }
  }
  return results;
}

async function withUsage(serverPid: number, postgresPid: number, run: () => Promise<LoadResult>): Promise<Sample> {
  const read = () => ({ server: cpuTimeMs(serverPid), postgres: cpuTimeMs(postgresPid), load: process.cpuUsage() });
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

/** What one target does per second over what another does, round by round. */
export function ratios(of: Measured | undefined, to: Measured | undefined): number[] {
  return (of?.samples ?? []).map(({ perSecond }, round) => perSecond / (to?.samples[round]?.perSecond ?? Number.NaN));
}
