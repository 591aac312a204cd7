import type { GateState } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface Overview {
  readonly gates: Partial<Record<GateState, number>>;
  /** Seconds since the oldest observation that is due and not correlated; 0 when none. */
  readonly oldestPendingSeconds: number;
  readonly openIncidents: number;
}

/** What the metrics of the worker show. */
export async function readOverview(sql: Sql): Promise<Overview> {
  try {
    const [row] = await sql<{ gates: Overview['gates'] | null; oldest: number; open: number }[]>`
      select (select json_object_agg(state, n) from (select g.state, count(*)::int as n from gate g join service s on s.id = g.service_id
                where s.retired_at is null group by g.state) x) as gates,
        (select coalesce(extract(epoch from clock_timestamp() - min(due_at)), 0)::float8 from pending where due_at <= clock_timestamp()) as oldest,
        (select count(*)::int from incident where state <> 'resolved') as open`;
    return { gates: row?.gates ?? {}, oldestPendingSeconds: row?.oldest ?? 0, openIncidents: row?.open ?? 0 };
  } catch (error) {
    throw toStoreError(error);
  }
}
