import type { GateReason } from './gate.ts';
import type { IncidentKind, JoinReason } from './incident.ts';
import type { NotificationKind } from './notification.ts';
import type { SafeName } from './safe-name.ts';
import type { ConnectivityStatus, SourceGroupRef, SubjectRef } from './subject.ts';
import type { Layer, Verdict } from './verification.ts';

/**
 * What happened to an incident, its subjects, services and callbacks. Holds aliases, config names, sanitised names and
 * counts only, so it may be stored in plain columns and shown to anyone who may read incidents.
 */
export type TimelineEvent =
  | { readonly event: 'subject.changed'; readonly subject: SubjectRef; readonly status: ConnectivityStatus }
  | { readonly event: 'subject.suspect'; readonly subject: SubjectRef }
  | { readonly event: 'group.blipped'; readonly subjects: readonly SubjectRef[]; readonly lastedMs: number }
  | { readonly event: 'incident.opened'; readonly kind: IncidentKind; readonly group: SubjectRef | SourceGroupRef }
  | { readonly event: 'incident.reopened'; readonly kind: IncidentKind; readonly group: SubjectRef | SourceGroupRef }
  | { readonly event: 'incident.joined'; readonly subject: SubjectRef; readonly why: JoinReason }
  | { readonly event: 'incident.kind_changed'; readonly from: IncidentKind; readonly to: IncidentKind }
  | { readonly event: 'incident.absorbed'; readonly incident: string; readonly why: JoinReason }
  | { readonly event: 'incident.merged'; readonly into: string; readonly why: JoinReason }
  | { readonly event: 'incident.acknowledged'; readonly by: SafeName }
  | { readonly event: 'incident.noted'; readonly by: SafeName; readonly note: SafeName }
  | { readonly event: 'incident.resolved'; readonly webhookMissing: boolean; readonly by?: SafeName }
  | { readonly event: 'incident.overridden'; readonly by: SafeName; readonly reason: SafeName }
  | { readonly event: 'incident.override_ended'; readonly stillDown: boolean }
  | {
      readonly event: 'mass.started';
      readonly devices: number;
      readonly known: number;
      readonly windowMs: number;
    }
  | { readonly event: 'mass.joined'; readonly devices: number; readonly tunnels: number }
  | { readonly event: 'mass.absorbed'; readonly incidents: number }
  | { readonly event: 'mass.regrouped'; readonly groups: number }
  | { readonly event: 'group.verified'; readonly passes: number; readonly required: number }
  | { readonly event: 'group.unverified'; readonly verdict: Verdict }
  /** Polls of API v2 in a row that were not answered; and the first that was again. */
  | { readonly event: 'poll.failing'; readonly failures: number }
  | { readonly event: 'poll.answered' }
  | { readonly event: 'flapping.started'; readonly transitions: number; readonly windowMs: number }
  | { readonly event: 'flapping.goes_on'; readonly changes: number; readonly worst: 'device' | 'tunnel' | null }
  | { readonly event: 'flapping.settled'; readonly transitions: number; readonly windowMs: number }
  | { readonly event: 'gate.held'; readonly service: string; readonly reason: GateReason }
  | { readonly event: 'gate.opened'; readonly service: string }
  | { readonly event: 'gate.held_by_hand'; readonly service: string; readonly by: SafeName; readonly reason: SafeName }
  /** `by` is null when its time was over. */
  | { readonly event: 'gate.hand_ended'; readonly service: string; readonly by: SafeName | null }
  | { readonly event: 'gate.forced_open'; readonly service: string; readonly by: SafeName; readonly reason: SafeName }
  | {
      readonly event: 'verification.passed';
      readonly service: string;
      readonly passes: number;
      readonly required: number;
    }
  | {
      readonly event: 'verification.failed';
      readonly service: string;
      readonly verdict: Verdict;
      readonly firstBroken: Layer | null;
    }
  | {
      readonly event: 'callbacks.reconciled';
      readonly service: string;
      readonly complete: number;
      readonly notStarted: number;
      readonly ambiguous: number;
    }
  | { readonly event: 'callbacks.released'; readonly service: string; readonly sent: number }
  | { readonly event: 'callbacks.need_review'; readonly service: string; readonly waiting: number }
  | {
      readonly event: 'notification.sent';
      readonly channel: string;
      readonly about: NotificationKind;
    }
  /** Nobody was told of what began, since a person muted it. */
  | { readonly event: 'notification.muted'; readonly by: SafeName; readonly until: Date }
  | { readonly event: 'notification.given_up'; readonly channel: string; readonly about: NotificationKind };
