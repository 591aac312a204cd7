import { GATE_WORDS } from '@tidegate/core';
import { count } from '../../words/count.ts';
import type { LoadedIncident } from '../load-incident.ts';
import { type Change, drawLane, placeOf, type Span, type Stretch } from './lane.ts';

const MOST_SERVICES = 4;
const SHORTEST_LEAD_MS = 60_000;

/** A verification, at its place. */
interface Check {
  readonly at: number;
  readonly passed: boolean;
}

/** One line of the picture. */
export interface Lane {
  readonly label: string;
  readonly stretches: readonly Stretch[];
  readonly checks: readonly Check[];
}

/** From a little before an incident opened until it ended, or now. */
export function spanOf({ incident, at }: LoadedIncident): Span {
  const openedMs = incident.openedAt.getTime();
  const untilMs = (incident.resolvedAt ?? at).getTime();
  return { fromMs: openedMs - Math.max(SHORTEST_LEAD_MS, (untilMs - openedMs) / 10), untilMs };
}

/** A line for what was heard of each subject, and for the gate of each service with the verifications it had. */
export function listLanes(loaded: LoadedIncident, span: Span): Lane[] {
  const subjects = loaded.heard.map(({ name, alias, type, heard }): Lane => {
    const changes = heard.map(({ at, status }) => ({ atMs: new Date(at).getTime(), kind: status }));
    return {
      label: `${type === 'device' ? 'Device' : 'Tunnel'} ${name ?? alias}`,
      stretches: drawLane(changes, span),
      checks: [],
    };
  });
  const gates = loaded.incident.services.slice(0, MOST_SERVICES).map((service) => gateLane(loaded, service, span));
  const known = [...subjects, ...gates].filter(({ stretches, checks }) => stretches.length > 0 || checks.length > 0);
  return known.map((lane) => ({ ...lane, stretches: fillUnknown(lane.stretches) }));
}

/** What a lane was before the first that is known of it is drawn as such: left blank, it would read as nothing being wrong. */
function fillUnknown(stretches: readonly Stretch[]): Stretch[] {
  const from = stretches[0]?.from ?? 1;
  return from > 0 ? [{ kind: 'unknown', from: 0, to: from }, ...stretches] : [...stretches];
}

/** What of an incident has no lane, in words; null where all has one. */
export function tellLeftOut({ incident, heard, whole }: LoadedIncident): string | null {
  const subjects = whole ? incident.subjectCount - heard.length : 0;
  const gates = incident.services.length - Math.min(MOST_SERVICES, incident.services.length);
  const parts = [
    ...(subjects > 0 ? [count(subjects, 'more device or tunnel', 'more devices and tunnels')] : []),
    ...(gates > 0 ? [count(gates, 'more gate')] : []),
  ];
  return parts.length === 0 ? null : `Not drawn: ${parts.join(' and ')}.`;
}

const GATE_EVENTS: Readonly<Record<string, string>> = {
  'gate.held': 'held',
  'gate.held_by_hand': 'held',
  'gate.hand_ended': 'held',
  'gate.forced_open': 'forced',
  'gate.opened': 'verified',
};

/** A gate that is held for one of these was not open before. */
const NOT_OPEN_BEFORE = [GATE_WORDS.never_verified, GATE_WORDS.held_by_hand, GATE_WORDS.hand_released];

/** The sentence of a gate's event names its service; see `describeEvent`. */
function gateLane({ incident }: LoadedIncident, service: string, span: Span): Lane {
  const about = new RegExp(`\\bgate of ${service.replaceAll('.', '\\.')}(?![\\w.-]*\\w)`);
  const changes = incident.timeline.flatMap(({ at, event, why }): Change[] => {
    const kind = GATE_EVENTS[event];
    return kind === undefined || !about.test(why) ? [] : [{ atMs: at.getTime(), kind }];
  });
  const first = incident.timeline.find(({ event, why }) => GATE_EVENTS[event] !== undefined && about.test(why));
  if (first?.event === 'gate.held' && !NOT_OPEN_BEFORE.some((words) => first.why.includes(words))) {
    changes.push({ atMs: Number.NEGATIVE_INFINITY, kind: 'verified' });
  }
  const checks = incident.verifications
    .filter((run) => run.service === service && !run.overtaken)
    .map((run) => ({ at: placeOf(run.startedAt.getTime(), span), passed: run.verdict === 'healthy' }));
  return {
    label: `Gate ${service}`,
    stretches: drawLane(
      changes.toSorted((a, b) => a.atMs - b.atMs),
      span,
    ),
    checks,
  };
}
