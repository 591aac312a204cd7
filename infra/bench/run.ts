import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Bench, BenchSettings } from './bench.ts';
import { gate } from './gate/gate.ts';
import { ingest } from './ingest/ingest.ts';
import { release } from './release/release.ts';
import { scale } from './scale/scale.ts';
import { storm } from './storm/storm.ts';

const BENCHES: readonly Bench[] = [ingest, gate, storm, scale, release];
const MOST = 100;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    profile: { type: 'string' },
  },
});
const unknown = positionals.filter((name) => BENCHES.every((bench) => bench.name !== name));
if (unknown.length > 0) {
  const lines = BENCHES.map(({ name, about }) => `  ${name.padEnd(8)} ${about}`);
  refuse([`There is no bench named ${unknown.join(', ')}. There are:`, ...lines].join('\n'));
}
const settings: BenchSettings = {
  rounds: readCount(values.rounds),
  seconds: readCount(values.seconds),
  profileDir: values.profile === undefined ? null : resolve(values.profile),
};

// Stopped by a signal, or by the end of whoever started this: the servers under test must not outlive it.
const stopping = new AbortController();
for (const event of ['SIGINT', 'SIGTERM', 'disconnect']) process.once(event, () => stopping.abort());
for (const bench of BENCHES) {
  if (stopping.signal.aborted || (positionals.length > 0 && !positionals.includes(bench.name))) continue;
  await bench.run(settings, stopping.signal).catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
}
process.exit(stopping.signal.aborted ? 130 : 0);

function readCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0 && count <= MOST) return count;
  return refuse(`--rounds and --seconds take a whole number from 1 to ${MOST}.`);
}

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}
