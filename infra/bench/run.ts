import { parseArgs } from 'node:util';
import type { Bench, BenchSettings } from './bench.ts';
import { ingest } from './ingest/ingest.ts';

const BENCHES: readonly Bench[] = [ingest];
const DEFAULTS: BenchSettings = { rounds: 5, seconds: 3 };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' }, seconds: { type: 'string' } },
});
const chosen = BENCHES.filter((bench) => positionals.length === 0 || positionals.includes(bench.name));
const unknown = positionals.filter((name) => BENCHES.every((bench) => bench.name !== name));
if (unknown.length > 0) {
  console.error(`There is no bench named ${unknown.join(', ')}. There are:`);
  for (const bench of BENCHES) console.error(`  ${bench.name.padEnd(10)} ${bench.about}`);
  process.exit(2);
}

// Stopped by a signal, or by the end of whoever started this: the servers under test must not outlive it.
const stopping = new AbortController();
for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(event, () => stopping.abort());
try {
  const settings = {
    rounds: readCount(values.rounds, DEFAULTS.rounds),
    seconds: readCount(values.seconds, DEFAULTS.seconds),
  };
  for (const bench of chosen) await bench.run(settings, stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) throw error;
}
process.exit(stopping.signal.aborted ? 130 : 0);

function readCount(text: string | undefined, fallback: number): number {
  const count = Number(text ?? fallback);
  if (Number.isInteger(count) && count > 0 && count <= 100) return count;
  console.error('--rounds and --seconds take a whole number from 1 to 100.');
  process.exit(2);
}
