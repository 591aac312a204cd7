import type { ConnectivityStatus } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { lockGates, raiseGenerations } from '../gate/raise-generations.ts';
import { wakeVerifications } from '../gate/wake-verifications.ts';

/** What one poll of API v2 listed about one subject. */
export interface Finding {
  readonly subjectId: number;
  readonly status: ConnectivityStatus;
}

export interface PollSettings {
  /** When the poll was begun. */
  readonly askedAt: Date;
  /** A finding that says nothing new about a subject that a service depends on is written down at this pace only. */
  readonly refreshMs: number;
  /** Debounce of groups that no service claims. */
  readonly openAfterMs: number;
  readonly maxWaitMs: number;
}

/**
 * The pace of subjects that no gate waits for: up to twice as long, so that a large account is not rewritten all at once.
 * Well within the day after which `count_devices` takes a device for gone.
 */
const IDLE_REFRESH_MS = 3_600_000;

export interface RecordedPoll {
  /** Subjects that dropped although no webhook said so, and that are back although none said so. */
  readonly lost: number;
  readonly back: number;
  /** Services whose gate was held for it. */
  readonly shut: readonly string[];
}

/**
 * Writes down what a poll found, in a fixed number of statements however many subjects there are. What it finds
 * disconnected, and nobody knew, shuts the dependent gates under a new generation and is correlated under the same debounce
 * as a webhook; what it finds connected again is verified at once (I13). Lock order: subject, gate, pending.
 */
export async function recordPoll(
  sql: Sql,
  findings: readonly Finding[],
  settings: PollSettings,
): Promise<RecordedPoll> {
  if (findings.length === 0) return { lost: 0, back: 0, shut: [] };
  return inTransaction(sql, async (tx) => {
    const changes = await saveFindings(tx, findings, settings);
    const lost = changes.filter((change) => change.lost).map(({ id }) => id);
    const back = changes.filter((change) => change.back).map(({ id }) => id);
    const dropped = await servicesOf(tx, lost);
    const returned = await servicesOf(tx, back);
    await lockGates(tx, [...dropped, ...returned]);
    const shut = await shutGates(tx, dropped);
    await wakeVerifications(tx, returned);
    await armLost(tx, lost, settings);
    return { lost: lost.length, back: back.length, shut };
  });
}

/**
 * One statement: locks and updates the subjects it says something new about, and answers those whose connectivity it
 * changes. Something new is another status, one that answers a later webhook, one a gate stands open against, or one that
 * an open incident waits for that no service verifies; the rest is refreshed now and then, so that a large fleet is not
 * rewritten at each poll. Subjects are reached by their key one by one: a batch is small beside the table.
 */
async function saveFindings(
  tx: Transaction,
  findings: readonly Finding[],
  { askedAt, refreshMs }: PollSettings,
): Promise<{ id: number; lost: boolean; back: boolean }[]> {
  return tx<{ id: number; lost: boolean; back: boolean }[]>`
    with found as materialized (
      select s.id, i.status, s.polled_status, s.polled_at, s.confirmed_at, c.moved_at, v.disconnected, v.answered, v.known_at, v.suspect,
        exists (select 1 from dependency d where d.subject_id = s.id) as needed,
        i.status = 'disconnected' and exists (
          select 1 from dependency d join gate g on g.service_id = d.service_id
          where d.subject_id = s.id and g.state in ('open', 'releasing') and g.hand is null and g.opened_by_started_at < ${askedAt}) as stands
      from unnest(${findings.map((finding) => finding.subjectId)}::bigint[], ${findings.map((finding) => finding.status)}::text[]) as i(id, status)
      cross join lateral (select * from subject x where x.id = i.id offset 0) s
      left join connectivity c on c.subject_id = s.id
      left join lateral (
        select c.disconnected, c.observation_key is not distinct from c.cleared_key as answered, coalesce(c.suspect_disconnected, false) as suspect,
          (select k.first_received_at from observation_key k where k.key = c.observation_key) as known_at
      ) v on true
      where coalesce(s.polled_at, '-infinity') < ${askedAt}
    ), weighed as (
      select f.*, told_down(f.disconnected, f.answered, f.known_at, f.suspect, f.polled_status, f.polled_at) as before,
        told_down(f.disconnected, f.answered, f.known_at, f.suspect, f.status, ${askedAt}) as after
      from found f
    ), awaited as materialized (
      select x.subject_id from incident i join incident_subject x on x.incident_id = i.id
      where i.state <> 'resolved' and x.subject_id in (select id from found) and not exists (
        select 1 from incident_service v join service o on o.id = v.service_id where v.incident_id = i.id and o.retired_at is null)
    ), news as materialized (
      select w.* from weighed w
      where w.status is distinct from w.polled_status or w.before is distinct from w.after or w.stands or w.moved_at > w.polled_at
        or coalesce(w.confirmed_at, '-infinity') < ${askedAt}::timestamptz
          - make_interval(secs => case when w.needed then ${refreshMs} else ${IDLE_REFRESH_MS} * (1 + w.id % 16 / 16.0) end / 1000.0)
        or w.id in (select subject_id from awaited)
    ), locked as materialized (
      select s.id from (select id from news order by id) n
      cross join lateral (select x.id from subject x where x.id = n.id for no key update) s
    ), updated as (
      update subject s set polled_status = n.status, polled_at = ${askedAt}, confirmed_at = greatest(s.confirmed_at, ${askedAt})
      from news n where s.id = n.id and s.id = any(array(select id from locked))
      returning s.id
    )
    select n.id, n.after and (not n.before or n.stands) as lost, n.before and not n.after as back
    from news n join updated u on u.id = n.id
    where (n.after and (not n.before or n.stands)) or (n.before and not n.after) order by n.id`;
}

async function shutGates(tx: Transaction, services: readonly number[]): Promise<string[]> {
  if (services.length === 0) return [];
  const open = await tx<{ name: string }[]>`
    select s.name from gate g join service s on s.id = g.service_id
    where g.service_id = any(${[...services]}::int[]) and g.state in ('open', 'releasing') and g.hand is null order by s.name`;
  await raiseGenerations(tx, services, 'disconnected');
  return open.map(({ name }) => name);
}

async function servicesOf(tx: Transaction, subjectIds: readonly number[]): Promise<number[]> {
  if (subjectIds.length === 0) return [];
  const rows = await tx<{ serviceId: number }[]>`
    select distinct service_id from services_touched(${[...subjectIds]}::bigint[]) order by 1`;
  return rows.map((row) => row.serviceId);
}

/** Under the same debounce as a webhook; a subject that nobody watches arms nothing. */
async function armLost(tx: Transaction, lost: readonly number[], settings: PollSettings): Promise<void> {
  if (lost.length === 0) return;
  await tx`
    select arm_groups(array_agg(g.group_id), array_agg(g.count), array_agg(g.count), ${settings.openAfterMs}, ${settings.maxWaitMs}, clock_timestamp())
    from (
      select m.group_id, count(*)::int as count
      from group_members(array(select distinct coalesce(s.device_id, s.id) from subject s where s.id = any(${[...lost]}::bigint[]))) m
      where m.id = any(${[...lost]}::bigint[]) and m.watched group by m.group_id
    ) g
    having count(*) > 0`;
}
