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
  return [
    ...subjects,
    ...loaded.incident.services.slice(0, MOST_SERVICES).map((service) => gateLane(loaded, service, span)),
  ];
}

const GATE_EVENTS: Readonly<Record<string, string>> = {
  'gate.held': 'held',
  'gate.held_by_hand': 'held',
  'gate.hand_ended': 'held',
  'gate.forced_open': 'forced',
  'gate.opened': 'verified',
};

/** The sentence of a gate's event names its service; see `describeEvent`. */
function gateLane({ incident }: LoadedIncident, service: string, span: Span): Lane {
  const about = new RegExp(`\\bgate of ${service.replaceAll('.', '\\.')}(?![\\w.-]*\\w)`);
  const changes = incident.timeline.flatMap(({ at, event, why }): Change[] => {
    const kind = GATE_EVENTS[event];
    return kind === undefined || !about.test(why) ? [] : [{ atMs: at.getTime(), kind }];
  });
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
