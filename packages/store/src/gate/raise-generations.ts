import type { Transaction } from '../database/connect.ts';

/** Locks gates in the one order everybody uses; call it once with all that a transaction will change. */
export async function lockGates(tx: Transaction, serviceIds: readonly number[]): Promise<void> {
  await tx`select 1 from gate where service_id = any(${[...serviceIds]}::int[]) order by service_id for no key update`;
}

/**
 * Holds gates and starts a new generation, so that no verification begun before can open them. A gate under a person's hand
 * stays as it is, held or forced open, under the new generation too; what a person decided about a service that is retired
 * ends with it, or it would wait, forced open, for another service of that name. The caller has locked them.
 */
export async function raiseGenerations(
  tx: Transaction,
  serviceIds: readonly number[],
  reason:
    | 'policy_changed'
    | 'topology_changed'
    | 'disconnected'
    | 'flapping'
    | 'unknown_subject'
    | 'receiver_silent'
    | 'rate_limited',
): Promise<void> {
  if (serviceIds.length === 0) return;
  await tx`
    update gate g set
      hand = n.hand,
      hand_actor = case when n.hand is not null then g.hand_actor end,
      hand_reason = case when n.hand is not null then g.hand_reason end,
      hand_expires_at = case when n.hand is not null then g.hand_expires_at end,
      state = case when n.hand = 'open' then g.state else 'held' end,
      generation = g.generation + 1, passes = 0, verify_run = null, opened_by = null, opened_by_started_at = null,
      since = case when n.hand is null and g.state in ('open', 'releasing') then clock_timestamp() else g.since end,
      reason = case when n.hand is not null or g.reason = 'never_verified' then g.reason else ${reason} end,
      verify_due_at = case when n.hand = 'held' or n.retired then null else clock_timestamp() end,
      verify_attempt = 0
    from (
      select s.id, s.retired_at is not null as retired, case when s.retired_at is null then h.hand end as hand
      from service s join gate h on h.service_id = s.id where s.id = any(${[...serviceIds]}::int[])
    ) n
    where g.service_id = n.id`;
}
