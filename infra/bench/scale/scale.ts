import { plantFleet } from '../../../test/support/plant-fleet.ts';
import type { Bench } from '../bench.ts';
import { type Goal, printGoals } from '../report/print-goals.ts';
import { printTable } from '../report/print-table.ts';
import { type Bed, startBed } from '../servers/start-bed.ts';
import { countOperations, type OperationBuffers } from './count-operations.ts';
import { fillStore } from './fill-store.ts';

const [FEW, MANY] = [1000, 1_000_000];
const FLEET = { devices: 60, tunnels: 4 };

export const scale: Bench = {
  name: 'scale',
  about: 'what recording and a gate query cost in shared buffers, with 1,000 observations stored and with 1,000,000',
  async run(_settings, signal) {
    console.log('scale: starting Postgres and filling it, which takes a minute or two …');
    const bed = await startBed();
    try {
      await measure(bed, signal);
    } finally {
      await bed.close();
    }
  },
};

async function measure({ sql, databaseUrl }: Bed, signal: AbortSignal): Promise<void> {
  const fleet = await plantFleet(sql, FLEET);
  const subjectIds = fleet.devices.flatMap(({ id, tunnels }) => [id, ...tunnels.map((tunnel) => tunnel.id)]);
  const service = fleet.devices[0]?.service ?? '';
  const count = async (stored: number) => {
    await fillStore(sql, fleet.sourceId, subjectIds, stored);
    signal.throwIfAborted();
    return countOperations({ url: databaseUrl, sourceId: fleet.sourceId, subjectIds, service });
  };
  report(await count(FEW), await count(MANY), subjectIds.length);
}

const LABELS: Readonly<Record<keyof OperationBuffers, string>> = {
  single: 'recording a delivery in a commit of its own',
  batched: 'recording a delivery among twenty',
  gate: 'gate query',
};

function report(few: OperationBuffers, many: OperationBuffers, subjects: number): void {
  const operations = Object.keys(LABELS) as (keyof OperationBuffers)[];
  console.log(`
scale: ${FEW.toLocaleString('en')} and ${MANY.toLocaleString('en')} observations of ${subjects} subjects stored over four months, fresh statistics; shared
buffers touched per operation, found in memory or not, counted by Postgres for the one connection that runs them.
`);
  printGoals(
    operations.map(
      (operation): Goal => ({
        label: `${LABELS[operation]}, many / few`,
        unit: '',
        digits: 2,
        bound: { below: 1.2 },
        values: [many[operation] / few[operation]],
      }),
    ),
  );
  console.log('\nBehind them, buffers per operation.\n');
  printTable([
    ['', 'few', 'many'],
    ...operations.map((operation) => [LABELS[operation], few[operation].toFixed(1), many[operation].toFixed(1)]),
  ]);
}
