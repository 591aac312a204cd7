import type { Callback, CallbackDetail as WireDetail } from '@tidegate/client';
import type { CallbackDetail, CallbackRow } from '@tidegate/store';

/** A callback without anything that was sealed. */
export function presentCallback(row: CallbackRow): Callback {
  return {
    id: row.id,
    service: row.service,
    state: row.state,
    reason: row.reason,
    method: row.method,
    origin: row.origin,
    safety: row.safety,
    repeat: row.repeat,
    attempts: row.attempts,
    createdAt: row.createdAt.toISOString(),
    dueAt: row.dueAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}

/** The same with each attempt. */
export function presentCallbackDetail(detail: CallbackDetail): WireDetail {
  const { deadlineAt, reconciliation } = detail;
  return {
    ...presentCallback(detail),
    deadlineAt: deadlineAt?.toISOString() ?? null,
    reconciliation:
      reconciliation === null ? null : { ...reconciliation, decidedAt: reconciliation.decidedAt.toISOString() },
    tries: detail.tries.map((one) => ({
      number: one.number,
      startedAt: one.startedAt.toISOString(),
      finishedAt: one.finishedAt?.toISOString() ?? null,
      phase: one.phase,
      status: one.status,
      reason: one.reason,
      latencyMs: one.latencyMs,
      disprovedAt: one.disprovedAt?.toISOString() ?? null,
    })),
  };
}
