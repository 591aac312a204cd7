import type { Transaction } from '../database/connect.ts';

/** Locks gates in the one order everybody uses; call it once with all that a transaction will change. */
export async function lockGates(tx: Transaction, serviceIds: readonly number[]): Promise<void> {
  await tx`select 1 from gate where service_id = any(${[...serviceIds]}::int[]) order by service_id for no key update`;
}

/** Holds gates and starts a new generation, so that no verification begun before can open them. The caller has locked them. */
export async function raiseGenerations(
  tx: Transaction,
  serviceIds: readonly number[],
  reason: 'policy_changed' | 'topology_changed',
): Promise<void> {
  if (serviceIds.length === 0) return;
  await tx`
    update gate set
      state = 'held', generation = generation + 1, passes = 0, verify_run = null, opened_by = null, opened_by_started_at = null,
      since = case when state in ('open', 'releasing') then clock_timestamp() else since end,
      reason = case when reason in ('held_by_hand', 'never_verified') then reason else ${reason} end,
      verify_due_at = case when reason = 'held_by_hand'
        or exists (select 1 from service s where s.id = gate.service_id and s.retired_at is not null) then null else clock_timestamp() end,
      verify_attempt = 0
    where service_id = any(${[...serviceIds]}::int[])`;
}
