import type { GateSettlement } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import type { VerificationResult } from './verification-result.ts';

/** Writes down a run and its six layers, also when a newer generation made it worthless: on-call wants to see what was tried. */
export async function saveVerification(
  tx: Transaction,
  result: VerificationResult,
  settlement: GateSettlement,
): Promise<void> {
  const { run, layers } = result;
  await tx`
    insert into verification (id, service_id, generation, started_at, finished_at, verdict, first_broken, runbook, passed, passes, overtaken)
    values (${run.id}, ${run.serviceId}, ${run.generation}, ${run.startedAt}, clock_timestamp(), ${result.verdict}, ${result.firstBroken},
            ${result.runbook}, ${result.verdict === 'healthy'}, ${settlement.kind === 'settled' ? settlement.passes : 0},
            ${settlement.kind === 'overtaken'})`;
  await tx`
    insert into verification_layer (verification_id, layer, outcome, reason, latency_ms, detail)
    select ${run.id}, * from unnest(${layers.map((l) => l.layer)}::text[], ${layers.map((l) => l.outcome)}::text[],
      ${layers.map((l) => l.reason)}::text[], ${layers.map((l) => l.latencyMs)}::int[], ${layers.map((l) => l.detail)}::text[])`;
}
