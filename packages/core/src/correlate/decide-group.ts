import type { IncidentKind, JoinReason } from '../model/incident.ts';
import type { SubjectRef } from '../model/subject.ts';
import { classifyFlapping, type FlappingClass } from './classify-flapping.ts';
import { dueAt } from './due-at.ts';
import type { GroupDecision, GroupFacts, Grouping, Member, OpenIncident, OpenMass } from './group-decision.ts';
import { isSameOutage } from './is-same-outage.ts';

/** The facts, sorted and summed up once for all rules. */
interface Situation {
  readonly facts: GroupFacts;
  readonly now: number;
  readonly down: readonly Member[];
  readonly deviceDown: boolean;
  readonly memberIncidents: readonly OpenIncident[];
  readonly flap: FlappingClass | null;
}

type Rule = (situation: Situation) => GroupDecision | null;

/** First that fits. */
const RULES: readonly Rule[] = [
  settleFlapping,
  adoptFlapping,
  joinMass,
  ignoreNothing,
  awaitDue,
  respectOverride,
  startFlapping,
  recordBlip,
  extendOpen,
  openNew,
];

/**
 * Decides one correlation group at `now` (epoch ms). Pure and independent of the order of members, member incidents and
 * transitions. Never resolves an incident: only a verification, a merge or a person ends one (I11). Source: DESIGN §5.
 */
export function decideGroup(facts: GroupFacts, now: number): GroupDecision {
  const situation = sumUp(facts, now);
  for (const rule of RULES) {
    const decision = rule(situation);
    if (decision !== null) return decision;
  }
  return none('already_covered');
}

function sumUp(facts: GroupFacts, now: number): Situation {
  const down = facts.members.filter((member) => member.down).sort(bySubject);
  const memberIncidents = [...(facts.memberIncidents ?? [])].sort((a, b) => compare(a.id, b.id));
  const wasFlapping = [facts.open, ...memberIncidents].some((incident) => incident?.kind === 'flapping');
  return {
    facts,
    now,
    down,
    deviceDown: facts.group.type === 'device' && down.some(({ alias }) => alias === facts.group.alias),
    memberIncidents,
    flap: facts.transitions ? classifyFlapping(facts.transitions, facts.policy.flap, wasFlapping, now) : null,
  };
}

/** A flapping incident whose subjects are calm again takes the kind of its cause; verification decides from there. */
function settleFlapping(situation: Situation): GroupDecision | null {
  const { facts, flap } = situation;
  if (facts.open?.kind !== 'flapping' || flap === null || flap.flapping) return null;
  return join(facts.open, 'flapping_settled', group(situation, causeOf(situation)));
}

/** A tunnel that flapped before its device was known: its instability goes on under the device, and settles there. */
function adoptFlapping(situation: Situation): GroupDecision | null {
  const { facts, flap, memberIncidents } = situation;
  if (flap === null || !memberIncidents.some(({ kind }) => kind === 'flapping')) return null;
  // Calm and down with many others: the mass outage takes it over instead.
  if (!flap.flapping && joinMass(situation) !== null) return null;
  const grouping = group(situation, flap.flapping ? 'flapping' : causeOf(situation));
  if (facts.open === null) return begin(situation, 'flapping', grouping);
  return join(facts.open, flap.flapping ? 'flapping' : 'flapping_settled', grouping);
}

/**
 * A group that is down joins the mass outage of its source group instead of opening, and at once: its members page nobody.
 * What was told by itself before stays so, unless this group is one of those lost at once; and so does
 * what was in it, came back and flaps. See `isToldWithMass` for what was told a moment too soon.
 */
function joinMass(situation: Situation): GroupDecision | null {
  const { facts, down, memberIncidents, flap } = situation;
  const { mass, open } = facts;
  if (!mass || down.length === 0 || open?.kind === 'flapping' || !isPartOf(mass, situation)) return null;
  const known = listTold(mass);
  const cameAndWent = mass.members.length > 0 && !down.some(({ alias }) => known.has(alias));
  if (!mass.absorbs && (open !== null || (flap?.flapping === true && cameAndWent))) return null;
  const joined = down
    .filter(({ alias }) => !known.has(alias))
    .map((member) => ({ subject: toRef(member), why: 'mass_outage' as const }));
  const merge = [...(open === null ? [] : [open]), ...memberIncidents]
    .map(({ id }) => ({ incident: id, why: 'mass_outage' as const }))
    .sort((a, b) => compare(a.incident, b.incident));
  if (joined.length === 0 && merge.length === 0) return none('already_known');
  const grouping = { kind: 'mass', joined, merge, lookAgainAt: null, flap: null } as const;
  return { decision: 'join', reason: 'mass_outage', incident: mass.id, ...grouping };
}

/** Lost together with it, or in it already: another outage that comes while the last of it lingers is news of its own. */
function isPartOf(mass: OpenMass, { facts, down, now }: Situation): boolean {
  if ((facts.pending?.firstAt ?? now) <= mass.joinsUntil) return true;
  const known = listTold(mass);
  return down.some(({ alias }) => known.has(alias));
}

function ignoreNothing({ facts, flap }: Situation): GroupDecision | null {
  if (facts.pending !== null) return null;
  return flap?.flapping && facts.open?.kind === 'flapping' ? none('still_flapping', flap) : none('nothing_pending');
}

function awaitDue({ facts, now }: Situation): GroupDecision | null {
  if (facts.pending === null) return null;
  const due = dueAt(facts.pending, facts.policy);
  return now < due ? { decision: 'wait', reason: 'debounce', dueAt: due } : null;
}

/** What a person ended by an override is not told again until that expires; an open incident and a mass outage are. */
function respectOverride({ facts, down, flap }: Situation): GroupDecision | null {
  if (facts.overridden !== true || facts.open !== null) return null;
  return down.length > 0 || flap?.flapping ? none('overridden') : null;
}

/** Flapping opens an incident even when everything happens to be up, and beside a mass outage, which would not hold it. */
function startFlapping(situation: Situation): GroupDecision | null {
  const { facts, flap, down } = situation;
  const known = listTold(facts.mass);
  if (down.some(({ alias }) => known.has(alias))) return null;
  if (!flap?.flapping || facts.open?.kind === 'flapping') return null;
  const grouping = group(situation, 'flapping');
  return facts.open ? join(facts.open, 'flapping', grouping) : begin(situation, 'flapping', grouping);
}

function recordBlip(situation: Situation): GroupDecision | null {
  const { facts, down, flap } = situation;
  if (down.length > 0) return null;
  if (facts.open?.kind === 'flapping') return none('still_flapping', flap);
  if (facts.open !== null || comesBackOfMass(situation)) return none('awaiting_verification');
  if (facts.pending?.disconnects === 0) return none('no_disconnect');
  const firstAt = facts.pending?.firstAt ?? 0;
  const seen = facts.members.filter(({ observedAt }) => observedAt >= firstAt).sort(bySubject);
  const subjects = (seen.length > 0 ? seen : [facts.group]).map(toRef);
  return { decision: 'blip', reason: 'reconnected_in_time', subjects };
}

function extendOpen(situation: Situation): GroupDecision | null {
  const { open } = situation.facts;
  if (open === null) return null;
  const kind = open.kind === 'flapping' ? open.kind : causeOf(situation);
  const grouping = group(situation, kind);
  if (kind === open.kind && grouping.joined.length === 0 && grouping.merge.length === 0) {
    return kind === 'flapping' ? none('still_flapping', situation.flap) : none('already_known');
  }
  if (open.kind === 'application') return join(open, 'cause_found', grouping);
  return join(open, kind === open.kind ? 'same_group' : 'device_absorbs', grouping);
}

/** Opens or reopens, unless a device that is up has only tunnels down whose own incidents tell of them already. */
function openNew(situation: Situation): GroupDecision | null {
  const told = new Set(situation.memberIncidents.flatMap(({ members }) => members));
  if (!situation.deviceDown && situation.down.every(({ alias }) => told.has(alias))) return null;
  return begin(situation, 'down', group(situation, causeOf(situation)));
}

function begin({ facts, now, down }: Situation, reason: 'down' | 'flapping', grouping: Grouping): GroupDecision {
  const firstAt = facts.pending?.firstAt ?? now;
  const since = down.length > 0 ? Math.min(...down.map((member) => member.since)) : firstAt;
  const last = facts.lastResolved;
  // Measured from the first sign, not from this decision: a busy worker must not turn a reopening into a new page.
  if (last !== null && isSameOutage(firstAt, last.resolvedAt, facts.policy.reopenWithinMs)) {
    return { decision: 'reopen', reason, incident: last.id, since, ...grouping };
  }
  return { decision: 'open', reason, since, ...grouping };
}

/** The device once it is down or was a member: an incident is widened from tunnel to device, never narrowed. */
function causeOf({ facts: { group, open }, deviceDown }: Situation): 'device' | 'tunnel' {
  const wasMember = group.type === 'device' && open !== null && open.members.includes(group.alias);
  return deviceDown || wasMember || open?.kind === 'device' ? 'device' : 'tunnel';
}

function group(situation: Situation, kind: IncidentKind): Grouping {
  const { facts, flap, deviceDown, memberIncidents } = situation;
  const known = new Set(facts.open?.members);
  const restless = new Set(kind === 'flapping' ? flap?.subjects : []);
  const joining = facts.members
    .filter(({ alias, down }) => !known.has(alias) && (down || restless.has(alias)))
    .sort(bySubject);
  const alone = joining.length === 1 && known.size === 0;
  return {
    kind,
    joined: joining.map((member) => ({
      subject: toRef(member),
      why: restless.has(member.alias) ? 'flapping' : whyJoined(member, deviceDown, alone),
    })),
    merge: memberIncidents.map(({ id }) => ({
      incident: id,
      why: deviceDown ? 'tunnel_of_down_device' : 'same_device',
    })),
    lookAgainAt: kind === 'flapping' ? (flap?.settleDueAt ?? null) : null,
    flap:
      flap && turnsFlapping(situation, kind)
        ? { transitions: flap.transitions, windowMs: facts.policy.flap.windowMs }
        : null,
  };
}

/** Whether a decision for this kind starts or ends flapping, the group's own or adopted. */
function turnsFlapping({ facts, memberIncidents }: Situation, kind: IncidentKind): boolean {
  const adopts = memberIncidents.some((incident) => incident.kind === 'flapping');
  return (kind === 'flapping') !== (facts.open?.kind === 'flapping') || (adopts && kind !== 'flapping');
}

/** Members that the mass incident of the source group tells of, and that were not back since. */
function listTold(mass: OpenMass | null | undefined): ReadonlySet<string> {
  const back = new Set(mass?.back);
  return new Set(mass?.members.filter((alias) => !back.has(alias)));
}

/** Some of the group is in the mass outage and has come back of it: no drop of its own that healed. */
function comesBackOfMass({ facts: { mass, pending }, now }: Situation): boolean {
  if (!mass || mass.members.length === 0) return false;
  return pending?.disconnects === 0 || (pending?.firstAt ?? now) <= mass.joinsUntil;
}

function whyJoined(member: Member, deviceDown: boolean, alone: boolean): JoinReason {
  if (member.polled === true) return 'polled_offline';
  if (member.type === 'device') return 'device_down';
  if (deviceDown) return 'tunnel_of_down_device';
  return alone ? 'tunnel_down' : 'same_device';
}

function join(
  open: OpenIncident,
  reason: Extract<GroupDecision, { decision: 'join' }>['reason'],
  grouping: Grouping,
): GroupDecision {
  return { decision: 'join', reason, incident: open.id, ...grouping };
}

function none(
  reason: Extract<GroupDecision, { decision: 'none' }>['reason'],
  flap: FlappingClass | null = null,
): GroupDecision {
  return { decision: 'none', reason, lookAgainAt: flap?.settleDueAt ?? null };
}

function toRef({ alias, type, name }: SubjectRef): SubjectRef {
  return { alias, type, name };
}

function bySubject(a: SubjectRef, b: SubjectRef): number {
  return compare(a.type, b.type) || compare(a.alias, b.alias);
}

/** By code unit, not by locale: the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
