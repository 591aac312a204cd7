import { randomUUID } from 'node:crypto';
import { LAYERS, type LayerResult, type Verdict } from '@tidegate/core';
import {
  type ClaimedVerification,
  claimVerifications,
  type FinishedVerification,
  finishVerification,
  type Sql,
} from '@tidegate/store';
import { POLICIES } from './policies.ts';

const LAYER_ROWS: LayerResult[] = LAYERS.map((layer) => ({
  layer,
  outcome: 'pass',
  reason: 'ok',
  latencyMs: 1,
  detail: 'planted',
}));

/** Runs one verification of a service with a made-up verdict, as the worker's room does. */
export async function verifyService(
  sql: Sql,
  serviceId: number,
  verdict: Verdict = 'healthy',
): Promise<FinishedVerification & { readonly id: string }> {
  await sql`update gate set verify_due_at = case when service_id = ${serviceId} then clock_timestamp() else clock_timestamp() + interval '1 hour' end`;
  const [run] = await claimVerifications(sql, [`ver_${randomUUID().slice(0, 8)}`], 60_000);
  if (run === undefined) throw new Error('nothing was due');
  return endVerification(sql, run, verdict);
}

/** Ends a run that was claimed, with a made-up verdict. */
export async function endVerification(
  sql: Sql,
  run: ClaimedVerification,
  verdict: Verdict = 'healthy',
): Promise<FinishedVerification & { readonly id: string }> {
  const finished = await finishVerification(
    sql,
    { run, layers: LAYER_ROWS, verdict, firstBroken: null, runbook: 'Do nothing.' },
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
      mass: POLICIES.mass,
      incidentId: `inc_${randomUUID().slice(0, 8)}`,
    },
  );
  return { ...finished, id: run.id };
}

/** As often as it takes to open the gate. */
export async function openByVerification(sql: Sql, serviceId: number): Promise<string> {
  for (let passes = 0; passes < 5; passes += 1) {
    const { settlement, id } = await verifyService(sql, serviceId);
    if (settlement.kind === 'settled' && settlement.change === 'opened') return id;
  }
  throw new Error('the gate did not open');
}
