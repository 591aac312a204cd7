import type { NotificationKind, NotificationState, Severity } from '../model/notification.ts';
import { type PickedChannels, pickChannels, type Route } from './pick-channels.ts';

/** A notification of this episode that was decided before. */
export interface ToldNotice {
  readonly id: string;
  readonly channel: string;
  readonly kind: NotificationKind;
  readonly state: NotificationState;
  /** It was delivered, or an attempt ended such that it may have been, or one is under way. */
  readonly reached: boolean;
  /** Its channel took something, or came back into the config, after this one had come to its end. */
  readonly tookSince: boolean;
  readonly news: string;
  readonly acknowledged: boolean;
  readonly decidedAtMs: number;
}

/** What there is to tell of one incident since it (re)opened, or of the reviews of one service, and what was told. */
export interface NoticeFacts {
  readonly over: boolean;
  /** What its first notification is called. */
  readonly begins: 'open' | 'needs_review';
  readonly severity: Severity;
  readonly services: readonly string[];
  /** Whatever a person would be told of, in one string: a difference is news. */
  readonly news: string;
  readonly acknowledged: boolean;
  /** Until when a silence mutes its pages, unless somebody ends that before; null when none does. */
  readonly silencedUntilMs: number | null;
  /** Oldest first. */
  readonly told: readonly ToldNotice[];
}

export interface NotifyRules {
  /** Names of the channels there are. */
  readonly channels: readonly string[];
  readonly routes: readonly Route[];
  /** At least so long between an update and what was told before it, ms. */
  readonly groupUpdatesMs: number;
}

/** Why a channel is told nothing. */
type QuietReason =
  | 'never_told'
  | 'nothing_arrived'
  | 'nothing_new'
  | 'silenced'
  | 'outside_window'
  | 'no_route'
  | 'given_up'
  | 'not_delivered_yet'
  | 'grouped';

export interface NoticeDecision {
  readonly tell: readonly { readonly channel: string; readonly kind: NotificationKind }[];
  readonly quiet: readonly { readonly channel: string; readonly why: QuietReason }[];
  /** Ids of notifications that are overtaken and need not be delivered any more. */
  readonly supersede: readonly string[];
  /** When to decide again although nothing happened; null when only news can change the answer. */
  readonly lookAgainAtMs: number | null;
}

/** A silence may be ended before its time, hence looked at again and again. */
const SILENCE_LOOK_MS = 15_000;
const MINUTE_MS = 60_000;
/** How often the same is told again to a channel that works again: what it refuses for its words it refuses each time. */
const MOST_GIVEN_UP = 4;

/**
 * Who is told what now. Nothing of an incident that ended or merged before it was told (members of a mass outage are quiet
 * so), no end of what nobody can have heard of, no page while a silence or a closed window mutes it: then it is told as soon as
 * that is over, if it goes on. Updates are grouped; an acknowledgement is told at once. An end goes to whoever was
 * told the beginning, whatever the hour. What was given up is told when the channel works again. Source of the rules: DESIGN §5.
 */
export function decideNotices(facts: NoticeFacts, rules: NotifyRules, nowMs: number): NoticeDecision {
  const picked = pickChannels(rules.routes, facts, nowMs);
  const decided = rules.channels.map((channel) => ({
    channel,
    answer: decideChannel(facts, { channel, picked, groupUpdatesMs: rules.groupUpdatesMs, nowMs }),
  }));
  const again = decided.flatMap(({ answer }) => (answer.againAtMs === undefined ? [] : [answer.againAtMs]));
  return {
    tell: decided.flatMap(({ channel, answer }) => ('kind' in answer ? [{ channel, kind: answer.kind }] : [])),
    quiet: decided.flatMap(({ channel, answer }) => ('why' in answer ? [{ channel, why: answer.why }] : [])),
    supersede: decided.flatMap(({ answer }) => answer.supersede ?? []),
    lookAgainAtMs: again.length === 0 ? null : Math.min(...again),
  };
}

type Answer = { readonly supersede?: readonly string[]; readonly againAtMs?: number } & (
  | { readonly kind: NotificationKind }
  | { readonly why: QuietReason }
);

interface ChannelView {
  readonly channel: string;
  readonly picked: PickedChannels;
  readonly groupUpdatesMs: number;
  readonly nowMs: number;
}

function decideChannel(facts: NoticeFacts, view: ChannelView): Answer {
  const rows = facts.told.filter(({ channel }) => channel === view.channel);
  if (facts.over) return decideEnd(rows);
  const opened = rows.find((row) => row.kind === facts.begins && (row.reached || row.state === 'pending'));
  return opened === undefined ? decideBeginning(facts, rows, view) : decideUpdate(facts, { rows, opened }, view);
}

function decideEnd(rows: readonly ToldNotice[]): Answer {
  const last = rows.at(-1);
  if (last === undefined) return { why: 'never_told' };
  const arrived = rows.some(({ reached }) => reached);
  if (last.kind === 'resolve') {
    if (mayTellAgain(rows, last)) return { kind: 'resolve' };
    // The beginning was on its way when it ended, and did not arrive after all.
    if (last.state === 'pending' && !arrived) return { why: 'nothing_arrived', supersede: [last.id] };
    return { why: 'nothing_new' };
  }
  const supersede = rows.flatMap(({ id, state }) => (state === 'pending' ? [id] : []));
  return arrived ? { kind: 'resolve', supersede } : { why: 'nothing_arrived', supersede };
}

function decideBeginning(facts: NoticeFacts, rows: readonly ToldNotice[], view: ChannelView): Answer {
  // One that was given up is tried again when there is something new to say or the channel works again, and not before.
  const last = rows.at(-1);
  if (last?.news === facts.news && !mayTellAgain(rows, last)) return { why: 'given_up' };
  return muted(facts, view) ?? { kind: facts.begins };
}

function mayTellAgain(rows: readonly ToldNotice[], last: ToldNotice): boolean {
  if (last.state !== 'failed' || !last.tookSince) return false;
  return rows.filter(({ kind, state }) => kind === last.kind && state === 'failed').length < MOST_GIVEN_UP;
}

function decideUpdate(
  facts: NoticeFacts,
  { rows, opened }: { readonly rows: readonly ToldNotice[]; readonly opened: ToldNotice },
  view: ChannelView,
): Answer {
  const last = rows.at(-1) ?? opened;
  const takenOn = facts.acknowledged && !last.acknowledged;
  if (last.news === facts.news && !takenOn && !mayTellAgain(rows, last)) return { why: 'nothing_new' };
  // Its beginning first: when that has come to an end, this is asked again.
  if (opened.state === 'pending' || opened.state === 'sending') return { why: 'not_delivered_yet' };
  const silent = muted(facts, view);
  if (silent !== null) return silent;
  const earliestMs = last.decidedAtMs + view.groupUpdatesMs;
  if (!takenOn && view.nowMs < earliestMs) return { why: 'grouped', againAtMs: earliestMs };
  return { kind: 'update', supersede: rows.flatMap(({ id, state, kind }) => (isWaiting(state, kind) ? [id] : [])) };
}

function isWaiting(state: NotificationState, kind: NotificationKind): boolean {
  return state === 'pending' && kind === 'update';
}

function muted({ silencedUntilMs }: NoticeFacts, { channel, picked, nowMs }: ChannelView): Answer | null {
  if (picked.now.has(channel)) {
    if (silencedUntilMs === null) return null;
    return { why: 'silenced', againAtMs: Math.min(silencedUntilMs, nowMs + SILENCE_LOOK_MS) };
  }
  if (!picked.later.has(channel)) return { why: 'no_route' };
  return { why: 'outside_window', againAtMs: (Math.floor(nowMs / MINUTE_MS) + 1) * MINUTE_MS };
}
