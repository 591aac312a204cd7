import type { Incident, Verification, IncidentDetail as WireDetail } from '@tidegate/client';
import { brokenLayer, findNextStep, LAYERS } from '@tidegate/core';
import type { IncidentRow, VerificationView } from '@tidegate/store';
import type { LimitedDetail } from './limit-incident.ts';

/** An incident as lists tell it. */
export function presentIncident(row: IncidentRow): Incident {
  return {
    id: row.id,
    kind: row.kind,
    state: row.state,
    group: { alias: row.groupAlias, name: row.groupName },
    services: row.services,
    openedAt: row.openedAt.toISOString(),
    since: row.since.toISOString(),
    resolvedAt: row.resolvedAt?.toISOString() ?? null,
    reopened: row.reopened,
    summary: row.summary,
    firstBroken: row.firstBroken,
  };
}

/** An incident with all that is known of it. */
export function presentDetail({ incident, whole }: LimitedDetail): WireDetail {
  const { callbacks } = incident;
  return {
    ...presentIncident(incident),
    resolvedBy: incident.resolvedBy,
    mergedInto: incident.mergedInto,
    flapping: incident.flapping,
    nextStep: presentStep(incident),
    timeline: incident.timeline.map(({ at, event, why }) => ({ at: at.toISOString(), event, why })),
    verifications: incident.verifications.map(presentVerification),
    // The counts are of all its services together, so they are not for a key that may see some of them.
    callbacks: whole
      ? {
          held: callbacks.held ?? 0,
          ambiguous: callbacks.ambiguous ?? 0,
          needsReview: callbacks.needs_review ?? 0,
          delivered: callbacks.delivered ?? 0,
        }
      : null,
  };
}

function presentStep(incident: LimitedDetail['incident']): WireDetail['nextStep'] {
  const next = findNextStep({ ...incident, runs: incident.verifications });
  if (next.step === null) return null;
  return { firstBroken: brokenLayer(next), step: next.step };
}

function presentVerification(view: VerificationView): Verification {
  const layers = view.layers.toSorted((a, b) => LAYERS.indexOf(a.layer) - LAYERS.indexOf(b.layer));
  return {
    id: view.id,
    service: view.service,
    startedAt: view.startedAt.toISOString(),
    verdict: view.verdict,
    firstBroken: view.firstBroken,
    runbook: view.runbook,
    overtaken: view.overtaken,
    layers: layers.map(({ layer, outcome, reason, latencyMs, detail }) => {
      return { layer, outcome, reason, latencyMs, detail };
    }),
  };
}
