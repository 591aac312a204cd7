import { randomUUID } from 'node:crypto';
import { LAYERS, type LayerResult, type Verdict } from '@tidegate/core';
import {
  type ClaimedVerification,
  claimVerifications,
  connect,
  finishVerification,
  readGates,
  type Sql,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
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
beforeEach(async () => {
  await makeDue();
});

const TIMING = {
  requiredPasses: 2,
  silentAfterMs: 5000,
  everyMs: 0,
  recheckEveryMs: 300_000,
  backoffMs: 0,
  openAfterMs: 20_000,
  patienceMs: 20_000,
  keptShutPatienceMs: 120_000,
  reopenWithinMs: 600_000,
  incidentId: 'inc_test',
};
const LAYER_ROWS: LayerResult[] = LAYERS.map((layer) => ({
  layer,
  outcome: 'pass',
  reason: 'ok',
  latencyMs: 1,
  detail: 'planted',
}));

async function makeDue(): Promise<void> {
  await sql`update gate set state = 'held', verify_due_at = clock_timestamp(), verify_run = null, passes = 0, opened_by = null, opened_by_started_at = null`;
}

async function claim(): Promise<ClaimedVerification> {
  const [run] = await claimVerifications(sql, [`ver_${randomUUID().slice(0, 8)}`], 60_000);
  if (run === undefined) throw new Error('nothing was due');
  return run;
}

function finish(run: ClaimedVerification, verdict: Verdict = 'healthy', requiredPasses = TIMING.requiredPasses) {
  return finishVerification(
    sql,
    { run, layers: LAYER_ROWS, verdict, firstBroken: null, runbook: 'Do nothing.' },
    { ...TIMING, requiredPasses, incidentId: `inc_${randomUUID().slice(0, 8)}` },
  );
}

async function gateState(): Promise<string | undefined> {
  return (await readGates(sql, ['agent'], 5000))[0]?.state;
}

describe('opening a gate', () => {
  it('is born held and opens only after the passes the policy asks for', async () => {
    const first = await finish(await claim());
    expect(first.settlement).toMatchObject({ kind: 'settled', change: 'none', passes: 1 });
    expect(await gateState()).toBe('held');
    const second = await finish(await claim());
    expect(second.settlement).toMatchObject({ kind: 'settled', change: 'opened', passes: 2 });
    expect(await gateState()).toBe('open');
  });

  it(
    verifies('I6', 'never happens by a verification that a Disconnected overtook, whichever commits first'),
    async () => {
      for (let round = 0; round < 30; round += 1) {
        await makeDue();
        const run = await claim();
        await Promise.all([deliver(sql, planted, { status: 'disconnected' }), finish(run, 'healthy', 1)]);
        expect(await gateState(), `round ${round}`).toBe('held');
      }
    },
  );

  it(verifies('I6', 'does not count a pass from before a Disconnected'), async () => {
    await finish(await claim());
    await deliver(sql, planted, { status: 'disconnected' });
    await sql`update gate set verify_due_at = clock_timestamp()`;
    const after = await finish(await claim());
    expect(after.settlement).toMatchObject({ change: 'none', passes: 1 });
    expect(await gateState()).toBe('held');
  });

  it(verifies('I6', 'is refused to a run whose lease another worker took over'), async () => {
    const lost = await claim();
    await sql`update gate set verify_due_at = clock_timestamp()`;
    const taken = await claim();
    expect((await finish(lost, 'healthy', 1)).settlement).toEqual({ kind: 'overtaken' });
    expect((await finish(taken, 'healthy', 1)).settlement).toMatchObject({ change: 'opened' });
  });

  it(
    verifies('I2', 'is undone by a late Disconnected, unless its date is older than the evidence that opened the gate'),
    async () => {
      const tooOld = BigInt(Date.now() - 3_600_000) * 10_000n;
      await finish(await claim(), 'healthy', 1);
      await deliver(sql, planted, { status: 'disconnected', ticks: tooOld });
      expect(await gateState()).toBe('open');
      await deliver(sql, planted, { status: 'disconnected', ticks: tooOld, zone: 'assumed' });
      expect(await gateState()).toBe('held');
    },
  );

  it('shuts again when a re-check fails, and stays open when it is inconclusive', async () => {
    await finish(await claim(), 'healthy', 1);
    await sql`update gate set verify_due_at = clock_timestamp()`;
    await finish(await claim(), 'inconclusive');
    expect(await gateState()).toBe('open');
    await sql`update gate set verify_due_at = clock_timestamp()`;
    await finish(await claim(), 'agent_down');
    expect(await gateState()).toBe('held');
  });
});
