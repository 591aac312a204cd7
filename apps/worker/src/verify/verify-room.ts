import {
  decideVerdict,
  incidentPatience,
  nextVerification,
  type Policy,
  recheckEvery,
  type Verdict,
} from '@tidegate/core';
import {
  type ClaimedVerification,
  claimVerifications,
  type FinishedVerification,
  finishVerification,
  renewVerification,
} from '@tidegate/store';
import { newId } from '@tidegate/vault';
import type { AccountReader } from '../topology/read-account.ts';
import type { Slots } from '../wake/create-slots.ts';
import type { WorkerContext } from '../worker-context.ts';
import { type LayerRun, type LayerSources, runControl, runLayers } from './run-layers.ts';

/** How long a dead worker's gate waits for another; a live one renews in time. */
const LEASE_MS = 12_000;
const RENEW_EVERY_MS = 3000;

export interface VerifyRoom {
  readonly context: WorkerContext;
  readonly account: AccountReader | null;
  readonly budget: LayerSources['budget'];
  /** Bounds sockets and memory when a whole fleet reconnects. */
  readonly slots: Slots;
}

/** Starts a verification for every gate that is due and has a free slot; the end of each wakes the room again. */
export async function verifyRoom(room: VerifyRoom): Promise<void> {
  const ids = Array.from({ length: room.slots.free() }, () => newId('ver'));
  if (ids.length === 0) return;
  const claimed = await claimVerifications(room.context.sql, ids, LEASE_MS);
  for (const run of claimed) room.slots.start(() => whileRenewing(room.context, run, () => verifyOne(room, run)));
}

/** A run may wait for its turn at a slow destination longer than any fixed lease: it keeps its claim for as long as it lives. */
async function whileRenewing(
  context: WorkerContext,
  run: ClaimedVerification,
  work: () => Promise<void>,
): Promise<void> {
  const renewing = setInterval(() => {
    // A renewal that fails leaves the lease to run out: the gate is then verified again, by whoever can.
    renewVerification(context.sql, run, LEASE_MS).catch(() => undefined);
  }, RENEW_EVERY_MS);
  try {
    await work();
  } finally {
    clearInterval(renewing);
  }
}

async function verifyOne(room: VerifyRoom, run: ClaimedVerification): Promise<void> {
  const { context } = room;
  const service = context.config.services.find((candidate) => candidate.name === run.service);
  // A service this worker's config does not know is another worker's: its lease runs out and that one takes it.
  if (service === undefined) return;
  const policy = context.config.policies[service.policy];
  if (policy === undefined) return;
  const startedAtMs = performance.now();
  const sources: LayerSources = { probes: context.probes, account: room.account, budget: room.budget };
  const { layers, degraded } = await runLayers(sources, service, run, policy.verify);
  const reachFailed = layers.some(
    (layer) => (layer.layer === 'public' || layer.layer === 'application') && layer.outcome === 'fail',
  );
  const control = reachFailed
    ? await runControl(sources, context.config.outbound.probes.control?.url ?? null, policy.verify.timeoutMs)
    : 'not_configured';
  const decision = decideVerdict(layers, { control, degraded, essential: service.essential });
  const finished = await finishVerification(
    context.sql,
    { run, layers, verdict: decision.verdict, firstBroken: decision.firstBroken, runbook: decision.runbook },
    timing(context, run, policy, decision.verdict),
  );
  report(context, run, decision.verdict, layers, finished, performance.now() - startedAtMs);
}

function timing({ random01, config }: WorkerContext, run: ClaimedVerification, policy: Policy, verdict: Verdict) {
  const { openAfterMs, reopenWithinMs } = policy;
  const recheckEveryMs = recheckEvery(policy.verify.recheckEveryMs, config.localtonet?.pollEveryMs ?? null);
  const verify = { ...policy.verify, recheckEveryMs };
  return {
    requiredPasses: verify.passes,
    everyMs: nextVerification('passed', 0, verify, random01()),
    recheckEveryMs: nextVerification('opened', 0, verify, random01()),
    backoffMs: nextVerification('failed', run.attempt + 1, verify, random01()),
    openAfterMs,
    mass: config.mass,
    patienceMs: incidentPatience(verdict, policy),
    keptShutPatienceMs: incidentPatience('inconclusive', policy),
    reopenWithinMs,
    silentAfterMs: config.receiver.silentAfterMs,
    incidentId: newId('inc'),
  };
}

function report(
  { log, metrics, traces }: WorkerContext,
  run: ClaimedVerification,
  verdict: Verdict,
  layers: LayerRun['layers'],
  { settlement, resolvedIncidents, openedIncident }: FinishedVerification,
  durationMs: number,
): void {
  metrics.count('verify.verdicts', { verdict });
  traces.verified(run, verdict, layers, durationMs);
  metrics.observe('verify.duration', {}, durationMs / 1000);
  for (const { layer, outcome } of layers) metrics.count('verify.layers', { layer, outcome });
  const settled = settlement.kind === 'settled' ? settlement : null;
  log.info('verification.finished', {
    verification: run.id,
    service: run.service,
    verdict,
    generation: run.generation,
    passes: settled?.passes ?? 0,
    overtaken: settled === null,
    durationMs: Math.round(durationMs),
  });
  if (settled?.change === 'opened')
    log.info('gate.opened', { service: run.service, verification: run.id, generation: settled.generation });
  if (settled?.change === 'shut')
    log.info('gate.held', { service: run.service, reason: settled.reason, generation: settled.generation });
  metrics.count('correlate.resolved', { by: 'verification' }, resolvedIncidents.length);
  for (const incident of resolvedIncidents) log.info('incident.resolved', { incident, verification: run.id });
  const why = settled === null || verdict === 'healthy' ? 'kept_shut' : 'verification_failed';
  if (openedIncident !== null) log.info('incident.opened', { incident: openedIncident, why });
}
