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
  /** A person forced it open: no silent receiver holds it. */
  readonly forced: boolean;
}

/**
 * Locks the gates of what is due, and reads under that lock whether each allows sending, and its generation (I7). Not `for
 * share`, here or anywhere: those who share a row let others in before the Disconnected that waits for it.
 */
export async function lockSendingGates(tx: Transaction): Promise<SendingGate[]> {
  return tx<SendingGate[]>`
    select g.service_id, g.generation, s.policy_name, g.state in ('open', 'releasing') as allowed,
      g.state = 'releasing' as releasing, g.hand is distinct from 'held' as passable,
      g.hand is not distinct from 'open' as forced
    from gate g join service s on s.id = g.service_id
    where exists (select 1 from callback c where c.service_id = g.service_id and c.due_at <= clock_timestamp()
                    and c.state in ('queued', 'retrying'))
    order by g.service_id for no key update of g`;
}

/** Rows that one claim takes back; the rest cannot be claimed either, and follows with the next. */
const MOST_HELD = 2000;

/**
 * Takes back what may not be sent under these gates. Behind a shut one everything but what may pass, behind an open one what
 * was released under another generation, becomes `held`: only a reconciliation lets it go again. What needed an approval to be
 * repeated goes back before a person once the approval is over, or is for another payload. Each gate is looked up by itself, by
 * its generation: right after a release the planner takes the index for nearly empty, and a join would read all of it.
 * @returns whether there may be more
 */
export async function takeBack(tx: Transaction, gates: readonly SendingGate[]): Promise<boolean> {
  const [row] = await tx<{ held: number }[]>`
    with g as materialized (
      select * from unnest(${toPlainArray(gates.map((gate) => gate.serviceId))}::int[],
        ${toPlainArray(gates.map((gate) => gate.generation))}::int8[], ${toPlainArray(gates.map((gate) => gate.allowed))}::bool[],
        ${toPlainArray(gates.map((gate) => gate.passable))}::bool[]) as g (service_id, generation, allowed, passable)
    ), stale as materialized (
      select o.id from g cross join lateral (
        select c.id from callback c
        where c.service_id = g.service_id and c.generation < case when g.allowed then g.generation else g.generation + 1 end
          and c.state in ('queued', 'retrying') and not (c.passes_held and g.passable)
        limit ${MOST_HELD} for no key update of c skip locked
      ) o limit ${MOST_HELD}
    ), held as (
      update callback c set state = 'held', reason = 'gate_held', retry_at = c.due_at, due_at = null from stale where c.id = stale.id returning 1
    ), outrun as materialized (
      select o.id, g.generation from g cross join lateral (
        select c.id from callback c
        where c.service_id = g.service_id and c.generation < g.generation and c.state in ('queued', 'retrying')
          and c.passes_held and g.passable
        offset 0
      ) o
    ), passing as (
      update callback c set generation = o.generation from outrun o
      where c.id = o.id and c.state in ('queued', 'retrying') and c.generation < o.generation and c.passes_held
    ), unproven as (
      update callback c set state = 'needs_review', reason = 'approval_expired', due_at = null from g
      -- Not "=", which an index of all that waits could serve: these few have an index of their own.
      where c.service_id = g.service_id and c.state in ('queued', 'retrying') and c.generation is not distinct from g.generation
        and (g.allowed or (c.passes_held and g.passable))
        and (c.by_approval or (c.repeat = 'forbidden' and c.attempts > 0)) and (c.by_approval or ${maybeReceived(tx)})
        and not ${approved(tx)}
    )
    select count(*)::int as held from held`;
  return row?.held === MOST_HELD;
}
