import type { CallbackState, GateState, Hand, IncidentState } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface Overview {
  readonly gates: Partial<Record<GateState, number>>;
  /** Gates that a person holds or forces open. */
  readonly hands: Partial<Record<Hand, number>>;
  /** Those that are not resolved, without those merged into another. */
  readonly incidents: Partial<Record<IncidentState, number>>;
  /** Those that are not at their end. */
  readonly callbacks: Partial<Record<CallbackState, number>>;
  /** Seconds since the oldest observation that is due and not correlated; 0 when none. */
  readonly oldestPendingSeconds: number;
  /** Seconds since the oldest callback that is held was handed over; 0 when none. */
  readonly oldestHeldSeconds: number;
}

type Row = { [K in keyof Overview]: Overview[K] | null };

/** What the metrics of the worker show. */
export async function readOverview(sql: Sql): Promise<Overview> {
  try {
    const [row] = await sql<Row[]>`
      with gates as (select g.state, g.hand from gate g join service s on s.id = g.service_id where s.retired_at is null),
        callbacks as (select state, count(*)::int as n, min(created_at) as oldest from callback where finished_at is null group by state)
      select (select json_object_agg(state, n) from (select state, count(*)::int as n from gates group by state) x) as gates,
        (select json_object_agg(hand, n) from (select hand, count(*)::int as n from gates where hand is not null group by hand) x) as hands,
        (select json_object_agg(state, n) from (select state, count(*)::int as n from incident
          where state <> 'resolved' and merged_into is null group by state) x) as incidents,
        (select json_object_agg(state, n) from callbacks) as callbacks,
        (select greatest(0, extract(epoch from clock_timestamp() - min(due_at)))::float8 from pending where due_at <= clock_timestamp()) as oldest_pending_seconds,
        (select greatest(0, extract(epoch from clock_timestamp() - oldest))::float8 from callbacks where state = 'held') as oldest_held_seconds`;
    return {
      gates: row?.gates ?? {},
      hands: row?.hands ?? {},
      incidents: row?.incidents ?? {},
      callbacks: row?.callbacks ?? {},
      oldestPendingSeconds: row?.oldestPendingSeconds ?? 0,
      oldestHeldSeconds: row?.oldestHeldSeconds ?? 0,
    };
  } catch (error) {
    throw toStoreError(error);
  }
}
