import type { ReplayHistory, ReplayObservation, ReplaySubject } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

export interface HistoryRange {
  readonly since: Date;
  /** Null is now. */
  readonly until: Date | null;
  /** How far before `since` observations still matter: the longest `flap.window`. */
  readonly lookBackMs: number;
  /** More observations than this are refused rather than loaded. */
  readonly most: number;
}

/**
 * Loads what a replay needs, in one read-only snapshot: every subject as it is linked now, the observations first received
 * in the range, and of those before it what the view and flapping still depend on.
 * @returns null when there are more than `most`
 */
export async function loadHistory(sql: Sql, range: HistoryRange): Promise<ReplayHistory | null> {
  try {
    return (await sql.begin('isolation level repeatable read read only', async (tx) => {
      const [clock] = await tx<{ now: Date }[]>`select clock_timestamp() as now`;
      const until = range.until ?? clock?.now ?? range.since;
      const observations = await loadObservations(
        tx,
        tx`o.first_received_at >= ${range.since} and o.first_received_at <= ${until} limit ${range.most + 1}`,
      );
      if (observations.length > range.most) return null;
      const recent = new Date(range.since.getTime() - range.lookBackMs);
      const before = await loadObservations(
        tx,
        tx`o.first_received_at < ${range.since} and (o.first_received_at >= ${recent} or o.key = (
          select n.key from observation n where n.subject_id = o.subject_id and n.trusted and n.first_received_at < ${range.since}
          order by n.ticks desc, n.status desc, n.key desc limit 1)) limit ${range.most + 1}`,
      );
      if (before.length > range.most) return null;
      return { subjects: await loadSubjects(tx), before, observations, until: until.getTime() };
    })) as ReplayHistory | null;
  } catch (error) {
    throw toStoreError(error);
  }
}

type Condition = ReturnType<Transaction>;

async function loadObservations(tx: Transaction, where: Condition): Promise<ReplayObservation[]> {
  const rows = await tx<
    (Omit<ReplayObservation, 'ticks' | 'receivedAt'> & { ticks: string | null; receivedAt: Date })[]
  >`
    select o.key, s.alias as subject, o.status, o.ticks::text as ticks, o.trusted, o.first_received_at as received_at
    from observation o join subject s on s.id = o.subject_id where ${where}`;
  return rows.map((row) => ({
    ...row,
    ticks: row.ticks === null ? null : BigInt(row.ticks),
    receivedAt: row.receivedAt.getTime(),
  }));
}

async function loadSubjects(tx: Transaction): Promise<ReplaySubject[]> {
  return tx<ReplaySubject[]>`
    select m.alias, m.type, m.name, s.group_name as source_group, d.alias as device_alias, m.watched,
      (select coalesce(array_agg(distinct v.policy_name), '{}') from dependency e join service v on v.id = e.service_id
        where e.subject_id = m.id) as policies
    from group_members(array(select distinct coalesce(device_id, id) from subject)) m
    join subject s on s.id = m.id left join subject d on d.id = s.device_id order by m.id`;
}
