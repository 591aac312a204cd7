import { RECONCILIATION_TABLE } from '@tidegate/core';
import { approved, evidence } from '../callback/evidence.ts';
import type { Transaction } from '../database/connect.ts';
import { toPlainArray } from '../observation/to-array-literal.ts';

export interface Reconciling {
  readonly serviceId: number;
  /** The gate's generation, under which what may be sent is released. */
  readonly generation: number;
  /** `release`: the gate opens. `attempt`: it is open, and something came to be unknown or was left behind. */
  readonly trigger: 'release' | 'attempt';
  /** Since when it was shut: what was delivered since is complete. Null for a gate that was open. */
  readonly shutSince: Date | null;
  /** Only what a held gate lets pass: the gate stays shut. */
  readonly passing?: boolean;
}

/** A gate that has held more opens all the same; the rest follows in runs of its own. */
const MOST_ITEMS = 20_000;

/**
 * Sorts what waits for a gate into complete, not started and ambiguous, writes that down as a run, and lets go what the rule
 * lets go: the only way out of `held`. The caller has locked the gate, and opens it in the same transaction, has found it
 * open, or lets go only what passes it; that is why nothing is sent unsorted (I7). One statement joins every callback with the rule's table.
 * @returns how many callbacks it sorted
 */
export async function reconcile(
  tx: Transaction,
  { serviceId, generation, trigger, shutSince, passing = false }: Reconciling,
): Promise<number> {
  const [run] = await tx<{ items: number }[]>`
    with now as materialized (select clock_timestamp() as at, 'rec_' || replace(gen_random_uuid()::text, '-', '') as run),
    waiting as (
      select c.id from callback c where c.service_id = ${serviceId} and c.state = 'held' and (c.passes_held or not ${passing})
      union all
      select c.id from callback c where not ${passing} and c.service_id = ${serviceId} and c.state in ('queued', 'retrying') and c.generation < ${generation}
      union all
      select c.id from callback c where not ${passing} and c.service_id = ${serviceId} and c.state = 'ambiguous'
        and (c.reconciliation_id is null or c.generation < ${generation})
    ), locked as materialized (
      select c.id, c.state, ${evidence(tx)} as evidence, c.repeat, c.sealed_status is not null as can_look_up,
        c.state <> 'ambiguous' or c.retry_at is not null or ${approved(tx)} as can_retry
      from callback c where c.id in (select id from waiting) order by c.created_at, c.id limit ${MOST_ITEMS} for no key update of c
    ), facts as (
      select * from locked
      union all
      select c.id, c.state, 'none', c.repeat, false, false from callback c
      where ${trigger === 'release'} and c.service_id = ${serviceId} and c.state = 'sending' and c.generation < ${generation}
      union all
      select c.id, c.state, 'none', c.repeat, false, false from callback c
      where c.service_id = ${serviceId} and c.state = 'delivered' and c.finished_at >= ${shutSince}::timestamptz
    ), decided as materialized (
      select f.id, d.outcome, d.reason, d.action from facts f join ${table(tx)} using (state, evidence, repeat, can_look_up, can_retry)
    ), run as (
      insert into reconciliation (id, service_id, generation, trigger, started_at)
      select now.run, ${serviceId}, ${generation}, ${trigger}, now.at from now
      where ${trigger === 'release'} or exists (select 1 from decided)
    ), items as (
      insert into reconciliation_item (reconciliation_id, callback_id, outcome, reason, action, decided_at)
      select now.run, d.id, d.outcome, d.reason, d.action, now.at from decided d, now
    ), released as (
      update callback c set
        state = case d.action when 'review' then 'needs_review' when 'look_up' then 'ambiguous'
          else case when c.state in ('ambiguous', 'retrying') then 'retrying' else 'queued' end end,
        reason = case d.action when 'send' then 'gate_opened' else d.reason end, generation = ${generation}, reconciliation_id = now.run,
        -- A retry that is planned stays planned, through a lookup, too; a repeat begins no sooner than a retry would.
        due_at = case d.action when 'review' then null when 'look_up' then now.at else greatest(${planned(tx)}, now.at) end,
        retry_at = case when c.state = 'ambiguous' then c.retry_at else greatest(${planned(tx)}, now.at) end,
        -- Told by the end of an attempt; only rows from before that was so have none, and wait from now on.
        unknown_since = case d.action when 'send' then c.unknown_since else coalesce(c.unknown_since, now.at) end
      from decided d, now where c.id = d.id and d.action in ('send', 'resend', 'review', 'look_up')
    )
    select count(*)::int as items from decided`;
  return run?.items ?? 0;
}

/** SQL for callback `c`: when it was to be sent before something came between; null for at once. */
function planned(tx: Transaction) {
  return tx`(case when c.state in ('ambiguous', 'held') then c.retry_at else c.due_at end)`;
}

/** The whole rule as rows: `core` alone decides, also about ten thousand at once. */
function table(tx: Transaction) {
  const column = (name: keyof (typeof RECONCILIATION_TABLE)[number]) =>
    toPlainArray(RECONCILIATION_TABLE.map((row) => row[name]));
  return tx`unnest(${column('state')}::text[], ${column('evidence')}::text[], ${column('repeat')}::text[],
      ${column('canLookUp')}::bool[], ${column('canRetry')}::bool[], ${column('outcome')}::text[], ${column('reason')}::text[],
      ${column('action')}::text[])
    as d (state, evidence, repeat, can_look_up, can_retry, outcome, reason, action)`;
}
