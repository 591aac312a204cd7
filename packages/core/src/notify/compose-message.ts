import type { IncidentKind } from '../model/incident.ts';
import type { NotificationKind, NotificationMessage, Severity } from '../model/notification.ts';
import { cutText } from './cut-text.ts';
import type { IncidentSubject, NoticeSubject, ReviewSubject } from './notice-subject.ts';

const MOST_NAMES = 3;
/** A mass outage may hold thousands, and nobody reads them in a page. */
const MOST_SERVICES = 50;
const LONGEST_TITLE = 200;
const LONGEST_LINE = 800;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const WHAT: Readonly<Record<IncidentKind, string>> = {
  device: 'Device offline',
  tunnel: 'Tunnel offline',
  application: 'Application failing',
  mass: 'Many devices offline',
  flapping: 'Unstable connection',
};

export interface Composing {
  readonly kind: NotificationKind;
  readonly severity: Severity;
  readonly openedSeverity: Severity;
  readonly nowMs: number;
  /** Where the page is reached; null leaves out the link. */
  readonly pageUrl: string | null;
}

/** The words of a notification, written once and frozen: what is wrong first, then what to do, for a tired person on a phone. */
export function composeMessage(subject: NoticeSubject, composing: Composing): NotificationMessage {
  const { kind, severity, openedSeverity, nowMs, pageUrl } = composing;
  const { startedAtMs, endedAtMs } = subject;
  const services = subject.about === 'incident' ? subject.services : [subject.service];
  const words = subject.about === 'incident' ? ofIncident(subject, kind) : ofReview(subject, kind);
  return {
    kind,
    thread: subject.about === 'incident' ? subject.id : subject.thread,
    title: cutText(words.title, LONGEST_TITLE),
    lines: words.lines.map((line) => cutText(line, LONGEST_LINE)),
    severity,
    openedSeverity,
    group: subject.about === 'incident' ? subject.group.alias : subject.service,
    services: services.slice(0, MOST_SERVICES),
    servicesInAll: services.length,
    startedAt: toIso(startedAtMs),
    endedAt: endedAtMs === null ? null : toIso(endedAtMs),
    acknowledged: subject.about === 'incident' && subject.acknowledgedBy !== null,
    decidedAt: toIso(nowMs),
    link: pageUrl === null ? null : linkOf(subject, pageUrl),
  };
}

/** The words of a test that a person asked for. */
export function composeTest(thread: string, channel: string, nowMs: number): NotificationMessage {
  return {
    kind: 'test',
    thread,
    title: `Test of the channel ${channel}`,
    lines: ['Tidegate can reach you here. Nothing is wrong, and nothing has to be done.'],
    severity: 'info',
    openedSeverity: 'info',
    group: 'tidegate',
    services: [],
    servicesInAll: 0,
    startedAt: toIso(nowMs),
    endedAt: null,
    acknowledged: false,
    decidedAt: toIso(nowMs),
    link: null,
  };
}

interface Words {
  readonly title: string;
  readonly lines: string[];
}

function ofIncident(subject: IncidentSubject, kind: NotificationKind): Words {
  const { summary, brokenNow, step, group, services, acknowledgedBy, startedAtMs } = subject;
  const what = `${WHAT[subject.kind]}: ${group.name ?? group.alias}${services.length > 0 ? ` (${listNames(services)})` : ''}`;
  if (kind === 'resolve') return { title: `Resolved: ${what}`, lines: [endOf(subject), `Incident ${subject.id}.`] };
  const lines = [summary];
  if (brokenNow !== null) lines.push(`First broken layer: ${brokenNow.replaceAll('_', ' ')}.`);
  if (step !== null) lines.push(`Next step: ${step}`);
  if (acknowledgedBy !== null) lines.push(`Acknowledged by ${acknowledgedBy}.`);
  lines.push(`Incident ${subject.id}, since ${showTime(startedAtMs)}.`);
  return { title: kind === 'update' ? `Update: ${what}` : what, lines };
}

function endOf({ end, startedAtMs, endedAtMs }: IncidentSubject): string {
  const after = `after ${showDuration((endedAtMs ?? startedAtMs) - startedAtMs)}`;
  switch (end?.how) {
    case 'merged':
      return `Told as part of ${end.into} from now on, ${after}.`;
    case 'overridden':
      return `Ended by hand by ${end.by}, without a verification, ${after}.`;
    default:
      return `A verification passed, ${after}.`;
  }
}

function ofReview({ service, waiting, startedAtMs }: ReviewSubject, kind: NotificationKind): Words {
  if (kind === 'resolve') {
    return { title: `Reviewed: callbacks of ${service}`, lines: ['No callback waits for a decision any more.'] };
  }
  const callbacks = waiting === 1 ? '1 callback' : `${waiting} callbacks`;
  return {
    title: `Review needed: ${callbacks} of ${service}`,
    lines: [
      `Nobody knows whether ${waiting === 1 ? 'it was' : 'they were'} carried out, and sending again could do it twice.`,
      'Next step: Look at each and approve, deny or mark it complete.',
      `Waiting since ${showTime(startedAtMs)}.`,
    ],
  };
}

function linkOf(subject: NoticeSubject, pageUrl: string): string {
  const base = pageUrl.replace(/\/+$/, '');
  if (subject.about === 'incident') return `${base}/incidents/${subject.id}`;
  return `${base}/callbacks?state=needs_review&service=${encodeURIComponent(subject.service)}`;
}

function listNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}

function showDuration(ms: number): string {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return `${Math.floor(ms / HOUR_MS)} h ${Math.round((ms % HOUR_MS) / MINUTE_MS)} min`;
}

function showTime(ms: number): string {
  return `${toIso(ms).slice(0, 16).replace('T', ' ')} UTC`;
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
