import { randomUUID } from 'node:crypto';
import { LAYERS, type LayerResult } from '@tidegate/core';
import {
  claimVerifications,
  connect,
  correlateDue,
  finishVerification,
  listIncidents,
  readIncident,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { POLICIES } from '../support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

let database: TestDatabase;
let sql: Sql;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  planted = await plantService(sql, 'agent');
});
afterAll(async () => {
  await sql.end();
  await database.drop();
});

const LAYER_ROWS: LayerResult[] = LAYERS.map((layer) => ({
  layer,
  outcome: 'pass',
  reason: 'ok',
  latencyMs: 1,
  detail: 'planted',
}));

let seconds = 0;
/** Dates that grow by more than any clock in between, so that the newest report is the one delivered last. */
function laterTicks(): bigint {
  seconds += 2;
  return BigInt(Date.now() + seconds * 1000) * 10_000n;
}

async function openIncident(): Promise<string> {
  await deliver(sql, planted, { status: 'disconnected', ticks: laterTicks() });
  await correlateNow();
  const [incident] = (await listIncidents(sql, { state: 'open', cursor: null, limit: 5, services: null })).items;
  return incident?.id ?? '';
}

async function correlateNow(): Promise<void> {
  await sql`update pending set first_at = first_at - interval '1 hour', last_at = last_at - interval '1 hour', due_at = due_at - interval '1 hour'`;
  await correlateDue(sql, 10, POLICIES, () => `inc_${randomUUID().slice(0, 8)}`);
}

async function verify(): Promise<string> {
  await sql`update gate set verify_due_at = clock_timestamp()`;
  const [run] = await claimVerifications(sql, [`ver_${randomUUID().slice(0, 8)}`], 60_000);
  if (run === undefined) throw new Error('nothing was due');
  await finishVerification(
    sql,
    { run, layers: LAYER_ROWS, verdict: 'healthy', firstBroken: null, runbook: 'Do nothing.' },
    {
      requiredPasses: 2,
      silentAfterMs: 5000,
      everyMs: 0,
      recheckEveryMs: 300_000,
      backoffMs: 0,
      openAfterMs: 20_000,
      patienceMs: 20_000,
      keptShutPatienceMs: 120_000,
      reopenWithinMs: 600_000,
      incidentId: 'inc_unused',
    },
  );
  return run.id;
}

describe('the end of an incident', () => {
  it(
    verifies('I11', 'is not a Connected webhook and not a first pass, but the verification that opened the gate'),
    async () => {
      const id = await openIncident();
      await deliver(sql, planted, { status: 'connected', ticks: laterTicks() });
      await correlateNow();
      expect((await readIncident(sql, id, null))?.state).toBe('open');
      await verify();
      expect((await readIncident(sql, id, null))?.state).toBe('open');
      const evidence = await verify();
      const ended = await readIncident(sql, id, null);
      expect(ended).toMatchObject({ state: 'resolved', resolvedBy: evidence });
      expect(ended?.timeline.at(-1)?.why).not.toContain('missing');
    },
  );

  it('says so when the Connected webhook never came', async () => {
    const id = await openIncident();
    await verify();
    await verify();
    expect((await readIncident(sql, id, null))?.timeline.at(-1)).toMatchObject({ event: 'incident.resolved' });
    expect((await readIncident(sql, id, null))?.timeline.at(-1)?.why).toContain('missing');
  });

  it(verifies('I11', 'cannot be written without evidence, whoever writes it'), async () => {
    const id = await openIncident();
    await expect(sql`update incident set state = 'resolved' where id = ${id}`).rejects.toMatchObject({ code: '23514' });
  });
});
