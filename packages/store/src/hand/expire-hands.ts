import { type AuditHead, moveHand, type SignAudit } from '@tidegate/core';
import { inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { type HandMoved, type LockedGate, saveHand } from './save-hand.ts';

/** A hold or a forced opening whose time was over. */
export interface ExpiredHand extends HandMoved {
  readonly service: string;
  readonly head: AuditHead;
}

/**
 * Ends the holds and forced openings whose time is over, each in a transaction of its own: the gate is held under a new
 * generation until verification has passed. Any number of workers may call it.
 */
export async function expireHands(sql: Sql, sign: SignAudit): Promise<ExpiredHand[]> {
  const due = await listDue(sql);
  const expired: ExpiredHand[] = [];
  for (const serviceId of due) {
    const { outcome, head } = await expireHand(sql, serviceId, sign);
    if (outcome !== null && head !== null) expired.push({ ...outcome, head });
  }
  return expired;
}

async function listDue(sql: Sql): Promise<number[]> {
  try {
    const rows = await sql<{ serviceId: number }[]>`
      select service_id from gate where hand_expires_at <= clock_timestamp() order by hand_expires_at limit 100`;
    return rows.map((row) => row.serviceId);
  } catch (error) {
    throw toStoreError(error);
  }
}

async function expireHand(sql: Sql, serviceId: number, sign: SignAudit) {
  return inAuditedTransaction<(HandMoved & { service: string }) | null>(sql, sign, async (tx) => {
    // Read again under the lock: another worker, or a person who prolonged it, may have been first.
    const [gate] = await tx<(LockedGate & { handActor: string })[]>`
      select g.service_id, s.name as service, g.state, g.hand, g.since, g.hand_actor from gate g join service s on s.id = g.service_id
      where g.service_id = ${serviceId} and g.hand_expires_at <= clock_timestamp() for no key update of g`;
    const move = gate === undefined ? null : moveHand(gate, 'release', false);
    if (gate === undefined || move?.kind !== 'moved') return { outcome: null, entry: null };
    const moved = await saveHand(tx, gate, { move, order: 'release', by: null, reason: null, forMs: null });
    const facts = { generation: moved.generation, hand: gate.hand, of: gate.handActor };
    const entry = {
      actor: 'tidegate',
      action: 'gate.hand_expired',
      target: gate.service,
      reason: null,
      facts,
    } as const;
    return { outcome: { ...moved, service: gate.service }, entry };
  });
}
