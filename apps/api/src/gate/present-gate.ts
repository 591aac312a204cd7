import type { Gate } from '@tidegate/client';
import { decideGate, leaseUntil } from '@tidegate/core';
import type { GateRow } from '@tidegate/store';

/**
 * The gate as it is told: its row, the decision on it, and until when that holds by the clock of Postgres.
 * @param silentAfterMs what `heardUntil` was read with
 */
export function presentGate(row: GateRow, silentAfterMs: number): Gate {
  const readAtMs = row.readAt.getTime();
  const heardUntilMs = row.heardUntil?.getTime() ?? null;
  // A subject that is unknown has its gate held in the row already.
  const facts = { receiversFresh: heardUntilMs === null || heardUntilMs > readAtMs, unknown: false };
  const { decision, reason } = decideGate(row, facts);
  const validUntilMs = decision === 'allowed' ? leaseUntil(row, { readAtMs, heardUntilMs, silentAfterMs }) : readAtMs;
  return {
    service: row.service,
    decision,
    state: row.state,
    reason,
    generation: row.generation,
    since: row.since.toISOString(),
    validUntil: new Date(validUntilMs).toISOString(),
    incident: row.incident,
  };
}
