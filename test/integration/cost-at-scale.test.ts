import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countOperations, type OperationBuffers } from '../../infra/bench/scale/count-operations.ts';
import { fillStore } from '../../infra/bench/scale/fill-store.ts';
import { plantFleet } from '../support/plant-fleet.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const [FEW, MANY] = [1000, 50_000];
/** An index that is one level higher costs one buffer more; a scan costs hundreds. */
const MOST = 1.2;

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

describe('what is stored', () => {
  it('does not make recording or asking for a gate dearer', async () => {
    const fleet = await plantFleet(sql, { devices: 20, tunnels: 4 });
    const subjectIds = fleet.devices.flatMap(({ id, tunnels }) => [id, ...tunnels.map((tunnel) => tunnel.id)]);
    const count = async (stored: number): Promise<OperationBuffers> => {
      await fillStore(sql, fleet.sourceId, subjectIds, stored);
      return countOperations({ url: database.url, sourceId: fleet.sourceId, subjectIds, service: 'home-lab-1' });
    };
    const few = await count(FEW);
    const many = await count(MANY);
    expect(Math.min(...Object.values(few))).toBeGreaterThan(0);
    const dearer = (['single', 'batched', 'gate'] as const).filter(
      (operation) => many[operation] / few[operation] > MOST,
    );
    expect({ dearer, few, many }).toEqual({ dearer: [], few, many });
  }, 120_000);
});
