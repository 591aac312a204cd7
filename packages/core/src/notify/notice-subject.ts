import type { IncidentKind } from '../model/incident.ts';
import type { Layer } from '../model/verification.ts';

/** How an incident ended. Names are sanitised. */
export type NoticeEnd =
  | { readonly how: 'verified' }
  | { readonly how: 'merged'; readonly into: string }
  | { readonly how: 'overridden'; readonly by: string };

/** An incident as a notification tells it: aliases, config names, sanitised names and sentences of ours. */
export interface IncidentSubject {
  readonly about: 'incident';
  readonly id: string;
  readonly kind: IncidentKind;
  readonly summary: string;
  /** Where the latest failed verification broke: that it breaks elsewhere is news, that it passes again is not yet. */
  readonly firstBroken: Layer | null;
  /** Where it breaks by the newest verification of each service; null where none does. */
  readonly brokenNow: Layer | null;
  /** What to do next, as `findNextStep` has it. */
  readonly step: string | null;
  readonly group: { readonly alias: string; readonly name: string | null };
  readonly services: readonly string[];
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
  readonly end: NoticeEnd | null;
  readonly acknowledgedBy: string | null;
}

/** The callbacks of one service whose outcome nobody knows and a person has to decide. */
export interface ReviewSubject {
  readonly about: 'review';
  readonly thread: string;
  readonly service: string;
  readonly waiting: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

/** Of thousands of services the first and their count. */
const MOST_COMPARED = 50;

export type NoticeSubject = IncidentSubject | ReviewSubject;

/** Everything of it that a person would want to hear of when it changes, in one string. */
export function newsOf(subject: NoticeSubject): string {
  if (subject.about === 'review') return JSON.stringify([subject.waiting]);
  const { kind, services, firstBroken, summary } = subject;
  return JSON.stringify([kind, services.length, services.slice(0, MOST_COMPARED), firstBroken, summary]);
}
