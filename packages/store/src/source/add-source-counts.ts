import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

/** What a receiver heard of one source since it last wrote that down. */
export interface SourceCount {
  readonly sourceId: number;
  /** Deliveries by outcome. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly lastSeenAt: Date;
  /** What the first delivery looked like, without a value; only the first that any receiver reports is kept. */
  readonly firstReport: Readonly<Record<string, unknown>> | null;
  /** The same of the first that was not understood. */
  readonly firstRejection: Readonly<Record<string, unknown>> | null;
}

/** Adds to the counters of sources, in a fixed number of statements. Rows by id and outcome, as every receiver takes them. */
export async function addSourceCounts(sql: Sql, counts: readonly SourceCount[]): Promise<void> {
  if (counts.length === 0) return;
  const ordered = [...counts].sort((a, b) => a.sourceId - b.sourceId);
  const rows = ordered.flatMap(({ sourceId, outcomes }) =>
    Object.entries(outcomes)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([outcome, count]) => ({ sourceId, outcome, count })),
  );
  const asText = (reports: readonly SourceCount['firstReport'][]) =>
    reports.map((report) => (report === null ? null : JSON.stringify(report)));
  await inTransaction(sql, async (tx) => {
    await tx`select 1 from source where id = any(${ordered.map(({ sourceId }) => sourceId)}::int[]) order by id for no key update`;
    await tx`
        update source s set last_seen_at = greatest(s.last_seen_at, i.seen), first_report = coalesce(s.first_report, i.report::jsonb),
          first_rejection = coalesce(s.first_rejection, i.rejection::jsonb)
        from unnest(${ordered.map(({ sourceId }) => sourceId)}::int[], ${ordered.map(({ lastSeenAt }) => lastSeenAt.toISOString())}::text[]::timestamptz[],
          ${asText(ordered.map(({ firstReport }) => firstReport))}::text[], ${asText(ordered.map(({ firstRejection }) => firstRejection))}::text[])
          as i(id, seen, report, rejection)
        where s.id = i.id`;
    await tx`
        insert into source_counter as c (source_id, outcome, count)
        select i.id, i.outcome, i.count
        from unnest(${rows.map((row) => row.sourceId)}::int[], ${rows.map((row) => row.outcome)}::text[], ${rows.map((row) => row.count)}::bigint[]) as i(id, outcome, count)
        on conflict (source_id, outcome) do update set count = c.count + excluded.count`;
  });
}
