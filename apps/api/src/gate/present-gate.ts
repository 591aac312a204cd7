import type { Gate } from '@tidegate/client';
import { decideGate, type GateFacts } from '@tidegate/core';
import type { GateRow } from '@tidegate/store';

/** How long after its read an `allowed` may be acted on (DESIGN §7): the most that a client with a lease can be behind. */
export const LEASE_MS = 5000;

/** What the decision rests on beside the gate's row. */
export const GATE_FACTS: GateFacts = { receiversFresh: true, unknown: false };

/** The gate as it is told: its row, the decision on it, and until when that holds by the clock of Postgres. */
export function presentGate(row: GateRow, facts: GateFacts): Gate {
  const { decision, reason } = decideGate(row, facts);
  const validUntilMs = row.readAt.getTime() + (decision === 'allowed' ? LEASE_MS : 0);
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
