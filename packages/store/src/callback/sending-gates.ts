import type { Transaction } from '../database/connect.ts';
import { toPlainArray } from '../observation/to-array-literal.ts';
import { approved, maybeReceived } from './evidence.ts';

/** A gate with callbacks that are due, locked against change until the transaction that marks them `sending` ends. */
export interface SendingGate {
  readonly serviceId: number;
  readonly generation: number;
  readonly policyName: string;
  readonly allowed: boolean;
  readonly releasing: boolean;
  /** Callbacks that are declared to pass a held gate may do so: no person holds it. */
  readonly passable: boolean;
}

/** Locks the gates of what is due, and reads under that lock whether each allows sending, and its generation (I7). */
export async function lockSendingGates(tx: Transaction): Promise<SendingGate[]> {
  return tx<SendingGate[]>`
    select g.service_id, g.generation, s.policy_name, g.state in ('open', 'releasing') as allowed,
      g.state = 'releasing' as releasing, g.hand is distinct from 'held' as passable
    from gate g join service s on s.id = g.service_id
    where exists (select 1 from callback c where c.service_id = g.service_id and c.due_at <= clock_timestamp()
                    and c.state in ('queued', 'retrying'))
    order by g.service_id for share of g`;
}

/**
 * Takes back what may not be sent under these gates: behind a shut one everything but what may pass, behind an open one what
 * was released under another generation. Only a reconciliation lets it go again.
 */
export async function holdStale(tx: Transaction, gates: readonly SendingGate[]): Promise<void> {
  const ids = toPlainArray(gates.map((gate) => gate.serviceId));
  const gate = tx`unnest(${ids}::int[], ${toPlainArray(gates.map((one) => one.generation))}::int8[],
    ${toPlainArray(gates.map((one) => one.allowed))}::bool[], ${toPlainArray(gates.map((one) => one.passable))}::bool[])
    as g (service_id, generation, allowed, passable)`;
  await tx`
    update callback c set state = 'held', reason = 'gate_held', due_at = null from ${gate}
    where c.service_id = g.service_id and c.state in ('queued', 'retrying')
      and c.generation < case when g.allowed then g.generation else g.generation + 1 end
      and not (c.passes_held and g.passable)`;
  await tx`
    update callback c set generation = g.generation from ${gate}
    where c.service_id = g.service_id and c.state in ('queued', 'retrying') and c.generation < g.generation and c.passes_held and g.passable`;
}

/** Puts back before a person what needed an approval to be repeated, once the approval is over or for another payload. */
export async function returnUnproven(tx: Transaction, gates: readonly SendingGate[]): Promise<void> {
  await tx`
    update callback c set state = 'needs_review', reason = 'approval_expired', due_at = null
    where c.service_id = any(${toPlainArray(gates.map((gate) => gate.serviceId))}::int[]) and c.state in ('queued', 'retrying')
      and c.repeat = 'forbidden' and c.attempts > 0 and ${maybeReceived(tx)} and not ${approved(tx)}`;
}
