import { availableParallelism } from 'node:os';
import type { BenchSettings } from '../bench.ts';
import { CONNECTIONS, type Measured, type Sample } from '../measure/measure-in-turn.ts';
import { median } from '../measure/median.ts';
import { type Goal, printGoals } from './print-goals.ts';
import { printTable } from './print-table.ts';

/** Prints what was measured and how, the goals, and the figures behind them. */
export function printReport(
  name: string,
  goals: readonly Goal[],
  measured: readonly Measured[],
  { rounds, seconds }: BenchSettings,
): void {
  console.log(`
${name}: ${CONNECTIONS} keep-alive connections, one request in flight on each (plain node:net sockets); ${rounds} rounds of ${seconds} s
per server, in turn; ${availableParallelism()} cores shared by load, server and Postgres (fsync on).
`);
  printGoals(goals);
  console.log(`
Behind them, medians. Absolute figures depend on the machine and on what else it does; compare them with nothing but each other.
`);
  printTable([
    ['', 'requests/s', 'CPU µs per request:', 'server', 'Postgres', 'load'],
    ...measured.map(({ label, samples }) => {
      const of = (pick: (sample: Sample) => number) => median(samples.map(pick)).toFixed(0);
      const { server, postgres, load } = {
        server: of(({ cpuUs }) => cpuUs.server),
        postgres: of(({ cpuUs }) => cpuUs.postgres),
        load: of(({ cpuUs }) => cpuUs.load),
      };
      return [label, of(({ perSecond }) => perSecond), '', server, postgres, load];
    }),
  ]);
}
