import type { SourceGroupRef, SubjectRef } from '../model/subject.ts';
import type { TimelineEvent } from '../model/timeline-event.ts';
import {
  ABOUT_WORDS,
  GATE_WORDS,
  KIND_WORDS,
  LAYER_WORDS,
  VERDICT_WORDS,
  WHY_WORDS,
  WORST_WORDS,
} from './event-words.ts';

const MS_PER_SECOND = 1000;
const MS_PER_MINUTE = 60_000;
const MAX_LISTED = 3;
/** Aliases and ids as Tidegate makes them; anything else is somebody's value in the wrong place and is not shown. */
const OUR_ID = /^[a-z]{2,4}_[a-z0-9]{1,64}$/;

type Sentences = { readonly [E in TimelineEvent as E['event']]: (event: E) => string };

const SENTENCES: Sentences = {
  'subject.changed': ({ subject, status }) => `The ${show(subject)} ${status}.`,
  'subject.suspect': ({ subject }) =>
    `The ${show(subject)} reported a date that cannot be trusted, so only a verification can clear it.`,
  'group.blipped': ({ subjects, lastedMs }) =>
    `Disconnected and back within ${duration(lastedMs)}, so nobody was paged: ${list(subjects)}.`,
  'incident.opened': ({ kind, group }) => `Opened as ${KIND_WORDS[kind]}, around the ${show(group)}.`,
  'incident.reopened': ({ kind, group }) => `Reopened as ${KIND_WORDS[kind]}, around the ${show(group)}.`,
  'incident.joined': ({ subject, why }) => `The ${show(subject)} joined, because ${WHY_WORDS[why]}.`,
  'incident.kind_changed': ({ from, to }) => `What looked like ${KIND_WORDS[from]} is now ${KIND_WORDS[to]}.`,
  'incident.absorbed': ({ incident, why }) => `Took over ${id(incident)}, because ${WHY_WORDS[why]}.`,
  'incident.merged': ({ into, why }) => `Merged into ${id(into)}, because ${WHY_WORDS[why]}.`,
  'incident.acknowledged': ({ by }) => `Acknowledged by ${person(by)}.`,
  'incident.noted': ({ by, note }) => `Note by ${person(by)}: ${note}`,
  'incident.resolved': ({ webhookMissing, by }) => {
    const asked = by === undefined ? '' : `, as ${person(by)} asked`;
    return webhookMissing
      ? `Resolved by a passed verification${asked}, although the webhook about the reconnect is missing.`
      : `Resolved by a passed verification${asked}.`;
  },
  'incident.overridden': ({ by, reason }) => `Ended by hand by ${person(by)}, without a verification: ${reason}`,
  'incident.override_ended': ({ stillDown }) =>
    stillDown
      ? 'What was decided by hand counts no longer, and the connection is still down, so it is told anew.'
      : 'What was decided by hand counts no longer.',
  'mass.started': ({ devices, known, windowMs }) =>
    `${devices} of ${count(known, 'watched device')} disconnected within ${duration(windowMs)}, so they are told as one outage.`,
  'mass.joined': ({ devices, tunnels }) =>
    `${count(devices, 'device')} and ${count(tunnels, 'tunnel')} joined, because ${WHY_WORDS.mass_outage}.`,
  'mass.absorbed': ({ incidents }) => `Took over ${count(incidents, 'incident')}, because ${WHY_WORDS.mass_outage}.`,
  'mass.regrouped': ({ groups }) =>
    `${count(groups, 'device or tunnel', 'devices or tunnels')} ${groups === 1 ? 'is' : 'are'} still down and told apart from now on.`,
  'group.verified': ({ passes, required }) =>
    `Localtonet lists everything of this incident as connected (${passes} of ${required} in a row).`,
  'group.unverified': ({ verdict }) => `Localtonet does not list everything as connected: ${VERDICT_WORDS[verdict]}.`,
  'poll.failing': ({ failures }) =>
    `Localtonet’s API did not answer ${count(failures, 'poll')} in a row, so nothing is known from it about devices and tunnels.`,
  'poll.answered': () => 'Localtonet’s API answers polls again.',
  'flapping.started': ({ transitions, windowMs }) =>
    `The connection changed ${count(transitions, 'time')} in ${duration(windowMs)}; gates stay held until it settles.`,
  'flapping.goes_on': ({ changes, worst }) =>
    `The connection is still unstable: ${count(changes, 'change')} so far${worst === null ? '' : `; at worst ${WORST_WORDS[worst]}`}.`,
  'flapping.settled': ({ transitions, windowMs }) =>
    `The connection settled (${count(transitions, 'change')} in ${duration(windowMs)}), so verification decides now.`,
  'gate.held': ({ service, reason }) => `The gate of ${service} was held, because ${GATE_WORDS[reason]}.`,
  'gate.opened': ({ service }) => `The gate of ${service} opened after verification.`,
  'gate.held_by_hand': ({ service, by, reason }) => `The gate of ${service} was held by ${person(by)}: ${reason}`,
  'gate.hand_ended': ({ service, by }) =>
    by === null
      ? `The time was over for which a person had decided about the gate of ${service}, so it must be verified again.`
      : `${person(by)} took back what was decided about the gate of ${service}, so it must be verified again.`,
  'gate.forced_open': ({ service, by, reason }) =>
    `The gate of ${service} was forced open by ${person(by)}, without a verification: ${reason}`,
  'verification.passed': ({ service, passes, required }) =>
    `Verification of ${service} passed (${passes} of ${required} in a row).`,
  'verification.failed': ({ service, verdict, firstBroken }) =>
    firstBroken === null
      ? `Verification of ${service} did not pass: ${VERDICT_WORDS[verdict]}.`
      : `Verification of ${service} failed at the ${LAYER_WORDS[firstBroken]} layer: ${VERDICT_WORDS[verdict]}.`,
  'callbacks.reconciled': ({ service, complete, notStarted, ambiguous }) =>
    `Callbacks of ${service} were sorted: ${complete} complete, ${notStarted} not started, ${ambiguous} ambiguous.`,
  'callbacks.released': ({ service, sent }) => `${count(sent, 'held callback')} of ${service} sent.`,
  'callbacks.need_review': ({ service, waiting }) =>
    `${count(waiting, 'callback')} of ${service} ${waiting === 1 ? 'needs' : 'need'} a person to decide.`,
  'notification.sent': ({ channel, about }) => `Told ${channel} ${ABOUT_WORDS[about]}.`,
  'notification.muted': ({ by, until }) =>
    `Nobody was told, because ${person(by)} muted it until ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC.`,
  'notification.given_up': ({ channel, about }) => `Gave up telling ${channel} ${ABOUT_WORDS[about]}.`,
};

/**
 * One plain sentence for on-call people about a timeline event. Built from our own ids, config names and sanitised
 * names only, on one line, so it holds no secret and needs no further redaction (I3). Source of the rule: DESIGN §5.
 */
export function describeEvent(event: TimelineEvent): string {
  const sentence = SENTENCES[event.event] as (event: TimelineEvent) => string;
  return sentence(event);
}

function show({ type, name, alias }: SubjectRef | SourceGroupRef): string {
  return name === null || name === '' ? `${type} ${id(alias)}` : `${type} "${name.replaceAll('"', "'")}"`;
}

function list(subjects: readonly SubjectRef[]): string {
  const shown = subjects.slice(0, MAX_LISTED).map(show).join(', ');
  const more = subjects.length - MAX_LISTED;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function id(text: string): string {
  return OUR_ID.test(text) ? text : 'without a valid id';
}

function person(name: string): string {
  return name === '' ? 'somebody' : name;
}

function count(n: number, noun: string, plural = `${noun}s`): string {
  return `${n} ${n === 1 ? noun : plural}`;
}

function duration(ms: number): string {
  if (ms >= MS_PER_MINUTE && ms % MS_PER_MINUTE === 0) return count(ms / MS_PER_MINUTE, 'minute');
  return count(Math.max(1, Math.round(ms / MS_PER_SECOND)), 'second');
}
