import type { TimelineEvent, Verdict } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import type { VerificationResult } from '../verification/verification-result.ts';
import { addTimeline } from './add-timeline.ts';

/**
 * Tells the open incidents of a service what a verification found: every pass, and a failure when its verdict differs from
 * the one before, so that an hour of the same failure is one line.
 * @param passes passes counted so far under this generation, of `required`
 */
export async function noteVerification(
  tx: Transaction,
  result: VerificationResult,
  passes: number,
  required: number,
): Promise<void> {
  const { run, verdict } = result;
  const incidents = await tx<{ id: string }[]>`
    select i.id from incident i join incident_service x on x.incident_id = i.id
    where x.service_id = ${run.serviceId} and i.state <> 'resolved' order by i.id`;
  if (incidents.length === 0) return;
  const passed = verdict === 'healthy';
  if (!passed && (await previousVerdict(tx, result)) === verdict) return;
  const event: TimelineEvent = passed
    ? { event: 'verification.passed', service: run.service, passes, required }
    : { event: 'verification.failed', service: run.service, verdict, firstBroken: result.firstBroken };
  for (const { id } of incidents) {
    if (result.firstBroken !== null)
      await tx`update incident set first_broken = ${result.firstBroken} where id = ${id}`;
    await addTimeline(tx, id, event);
  }
}

async function previousVerdict(tx: Transaction, { run }: VerificationResult): Promise<Verdict | undefined> {
  const [row] = await tx<{ verdict: Verdict }[]>`
    select verdict from verification where service_id = ${run.serviceId} and id <> ${run.id} and generation = ${run.generation}
    order by started_at desc limit 1`;
  return row?.verdict;
}
