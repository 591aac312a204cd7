import {
  composeMessage,
  decideNotices,
  findSilence,
  type NoticeDecision,
  type NoticeSubject,
  type NotificationKind,
  type NotificationMessage,
  type NotifyRules,
  newsOf,
  type ServiceSeverities,
  type Severity,
  severityOf,
} from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { type MutingSilence, readLiveSilences } from '../silence/list-silences.ts';
import { addMuted, type MutedNotice } from './add-muted.ts';
import { type DueNotice, loadDueNotices } from './load-notices.ts';

export interface NoticeSettings {
  readonly rules: NotifyRules;
  readonly serviceSeverities: ServiceSeverities;
  readonly pageUrl: string | null;
  readonly newNotificationId: () => string;
}

interface DecidedNotification {
  readonly id: string;
  readonly incident: string | null;
  readonly channel: string;
  readonly kind: NotificationKind;
}

export interface DecidedNotices {
  /** How many notices were looked at; as many as allowed means that there may be more. */
  readonly looked: number;
  readonly told: readonly DecidedNotification[];
  /** What no route tells anybody of, at whatever hour. */
  readonly unrouted: readonly { readonly incident: string | null; readonly severity: Severity }[];
}

interface NewRow extends DecidedNotification {
  readonly thread: string;
  readonly generation: number;
  readonly episode: number;
  readonly severity: Severity;
  readonly news: string;
  readonly acknowledged: boolean;
  readonly message: NotificationMessage;
}

/**
 * Decides about up to `limit` notices that are due, and writes what is told into the ledger with its words, in one transaction: a
 * row is there before anything is sent, and a process that is killed has decided or it has not. Of two that decide the same, the
 * lock lets one through and the ledger's key stops the other.
 */
export async function decideDueNotices(sql: Sql, limit: number, settings: NoticeSettings): Promise<DecidedNotices> {
  return inTransaction(sql, async (tx) => {
    const due = await loadDueNotices(tx, limit);
    if (due.length === 0) return { looked: 0, told: [], unrouted: [] };
    const [clock] = await tx<{ now: Date }[]>`select clock_timestamp() as now`;
    const now = clock?.now ?? new Date(0);
    const silences = await readLiveSilences(tx);
    const decided = due.map((notice) => decideOne(notice, { settings, silences, nowMs: now.getTime() }));
    await supersede(
      tx,
      decided.flatMap(({ superseded }) => superseded),
    );
    const rows = decided.flatMap((one) => one.rows);
    const told = await insertRows(tx, rows);
    await addMuted(
      tx,
      decided.flatMap(({ muted }) => muted ?? []),
    );
    await settleNotices(tx, decided);
    return { looked: due.length, told, unrouted: decided.flatMap((one) => one.unrouted) };
  });
}

interface Decided {
  readonly thread: string;
  readonly rows: readonly NewRow[];
  readonly superseded: readonly string[];
  readonly unrouted: DecidedNotices['unrouted'];
  /** Nobody was told of what began, since a silence mutes it. */
  readonly muted: MutedNotice | null;
  readonly lookAgainAtMs: number | null;
}

interface Moment {
  readonly settings: NoticeSettings;
  readonly silences: readonly MutingSilence[];
  readonly nowMs: number;
}

function decideOne(notice: DueNotice, { settings, silences, nowMs }: Moment): Decided {
  const { thread, subject, told, generation, episode, incidentId } = notice;
  if (subject === null) return { thread, rows: [], superseded: [], unrouted: [], muted: null, lookAgainAtMs: null };
  const services = subject.about === 'incident' ? subject.services : [subject.service];
  const kind = subject.about === 'incident' ? subject.kind : 'review';
  const severity = severityOf({ kind, services }, settings.serviceSeverities);
  const news = newsOf(subject);
  const acknowledged = subject.about === 'incident' && subject.acknowledgedBy !== null;
  const silence = findSilence(silences, { groups: groupsOf(subject), services });
  const facts = {
    over: subject.endedAtMs !== null,
    begins: subject.about === 'incident' ? 'open' : 'needs_review',
    severity,
    services,
    news,
    acknowledged,
    silencedUntilMs: silence?.expiresAt.getTime() ?? null,
    told,
  } as const;
  const decision = decideNotices(facts, settings.rules, nowMs);
  const rows = decision.tell.map(({ channel, kind }) => {
    const openedSeverity = told.find((row) => row.channel === channel)?.severity ?? severity;
    const message = composeMessage(subject, { kind, severity, openedSeverity, nowMs, pageUrl: settings.pageUrl });
    return {
      id: settings.newNotificationId(),
      incident: incidentId,
      channel,
      kind,
      thread,
      generation: generation + 1,
      episode,
      severity,
      news,
      acknowledged,
      message,
    };
  });
  const unrouted = told.length === 0 && hasNoRoute(decision) ? [{ incident: incidentId, severity }] : [];
  const unheard = !told.some(({ reached }) => reached) && decision.quiet.some(({ why }) => why === 'silenced');
  const muted =
    silence === null || incidentId === null || !unheard
      ? null
      : { incident: incidentId, sinceMs: subject.startedAtMs, by: silence.actor, until: silence.expiresAt };
  return { thread, rows, superseded: decision.supersede, unrouted, muted, lookAgainAtMs: decision.lookAgainAtMs };
}

function hasNoRoute({ tell, quiet }: NoticeDecision): boolean {
  return tell.length === 0 && quiet.length > 0 && quiet.every(({ why }) => why === 'no_route');
}

/** A mass outage has no subject of its own that a silence could name. */
function groupsOf(subject: NoticeSubject): string[] {
  return subject.about === 'incident' && subject.kind !== 'mass' ? [subject.group.alias] : [];
}

/** Only what still waits: an attempt under way ends as it will. */
async function supersede(tx: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx`
    update notification set state = 'superseded', reason = 'overtaken', ended_at = clock_timestamp(), due_at = null
    where id = any(${[...ids]}::text[]) and state = 'pending'`;
}

async function insertRows(tx: Transaction, rows: readonly NewRow[]): Promise<DecidedNotification[]> {
  if (rows.length === 0) return [];
  const written = await tx<DecidedNotification[]>`
    insert into notification (id, thread, incident_id, generation, channel, kind, episode, severity, news, acknowledged, message, decided_at, due_at)
    select r.id, r.thread, r.incident, r.generation, r.channel, r.kind, r.episode, r.severity, r.news, r.acknowledged, r.message, now.at, now.at
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as r(id text, thread text, incident text, generation int, channel text, kind text,
      episode int, severity text, news text, acknowledged boolean, message jsonb), (select clock_timestamp() as at) now
    on conflict (thread, generation, channel, kind) do nothing
    returning id, incident_id as incident, channel, kind`;
  // What is over is not said again.
  await tx`
    update notification n set repeat_at = null from unnest(${written.map(({ id }) => id)}::text[]) as w(id) join notification x on x.id = w.id
    where x.kind = 'resolve' and n.thread = x.thread and n.channel = x.channel and n.seq < x.seq and n.repeat_at is not null`;
  return written;
}

async function settleNotices(tx: Transaction, decided: readonly Decided[]): Promise<void> {
  const again = decided.map(({ thread, rows, lookAgainAtMs }) => ({
    thread,
    raised: rows.length > 0,
    at: lookAgainAtMs === null ? null : new Date(lookAgainAtMs).toISOString(),
  }));
  await tx`
    update notice n set due_at = r.at, generation = n.generation + case when r.raised then 1 else 0 end
    from jsonb_to_recordset(${JSON.stringify(again)}::text::jsonb) as r(thread text, raised boolean, at timestamptz)
    where n.thread = r.thread`;
}
