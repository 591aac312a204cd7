import type { IncidentKind, JoinReason } from '../model/incident.ts';
import type { Policy } from '../model/policy.ts';
import type { SubjectRef } from '../model/subject.ts';
import type { SubjectTransitions } from './classify-flapping.ts';
import type { Pending } from './due-at.ts';

/** A member of the group as the view has it; times in epoch ms. */
export interface Member extends SubjectRef {
  readonly down: boolean;
  /** When its present state began, by ActionDate. */
  readonly since: number;
  /** When its latest observation was received. */
  readonly observedAt: number;
  /** Down by what a poll of API v2 found, while no webhook says so. */
  readonly polled?: boolean;
}

/** An incident that is open or acknowledged. */
export interface OpenIncident {
  readonly id: string;
  readonly kind: IncidentKind;
  /** Aliases of the subjects already joined to it. */
  readonly members: readonly string[];
}

/** The open mass incident of the group's source group, as far as it concerns this group. */
export interface OpenMass {
  readonly id: string;
  /** Aliases of this group's members that are in it already. */
  readonly members: readonly string[];
  /** Those of them that were back since they joined: that they drop again is news. */
  readonly back: readonly string[];
  /** Epoch ms: what shows its first sign later is another outage. Infinite while what is down still is a mass outage. */
  readonly joinsUntil: number;
  /** This group is one of those that made it a mass outage, or was told with it: its own incident merges into it if it joins. */
  readonly absorbs: boolean;
}

/** Everything a decision about one correlation group may depend on, besides the time. */
export interface GroupFacts {
  /** The subject that names the group (`groupKey`). */
  readonly group: SubjectRef;
  /** The group subject itself and, for a device, its tunnels. Order plays no part. */
  readonly members: readonly Member[];
  /** The group's own open incident. */
  readonly open: OpenIncident | null;
  /** Open incidents of a member's own group, from before its device was known. */
  readonly memberIncidents?: readonly OpenIncident[];
  /** Null or absent while the source group has no mass outage. */
  readonly mass?: OpenMass | null;
  /** The group's latest resolved incident that was not merged into another. */
  readonly lastResolved: { readonly id: string; readonly resolvedAt: number } | null;
  /** A person ended its last incident by an override that still counts. */
  readonly overridden?: boolean;
  readonly policy: Pick<Policy, 'openAfterMs' | 'maxWaitMs' | 'reopenWithinMs' | 'flap'>;
  readonly pending: Pending | null;
  /** Transitions of each member; without them flapping is neither found nor settled. */
  readonly transitions?: readonly SubjectTransitions[];
}

/** What changes on an incident. Lists are sorted (device first, then by alias), so equal facts give equal decisions. */
export interface Grouping {
  readonly kind: IncidentKind;
  readonly joined: readonly { readonly subject: SubjectRef; readonly why: JoinReason }[];
  /** Incidents that end by merging into this one. */
  readonly merge: readonly { readonly incident: string; readonly why: JoinReason }[];
  /**
   * Epoch ms at which to decide the group again although nothing is pending (flapping may have settled); null: no need.
   */
  readonly lookAgainAt: number | null;
  /** The count that made the kind `flapping` or ended it; null when this decision does neither. */
  readonly flap: { readonly transitions: number; readonly windowMs: number } | null;
}

/**
 * `wait` keeps the pending row; every other decision consumes it. `since` is the start of the outage in epoch ms.
 * `join` changes the open incident in place: members, kind, or both; the incident is the group's own or the mass one.
 */
export type GroupDecision =
  | { readonly decision: 'wait'; readonly reason: 'debounce'; readonly dueAt: number }
  | { readonly decision: 'blip'; readonly reason: 'reconnected_in_time'; readonly subjects: readonly SubjectRef[] }
  | ({ readonly decision: 'open'; readonly reason: 'down' | 'flapping'; readonly since: number } & Grouping)
  | ({
      readonly decision: 'reopen';
      readonly reason: 'down' | 'flapping';
      readonly incident: string;
      readonly since: number;
    } & Grouping)
  | ({
      readonly decision: 'join';
      readonly reason:
        | 'same_group'
        | 'device_absorbs'
        | 'cause_found'
        | 'flapping'
        | 'flapping_settled'
        | 'mass_outage';
      readonly incident: string;
    } & Grouping)
  | { readonly decision: 'none'; readonly reason: NoneReason; readonly lookAgainAt: number | null };

export type NoneReason =
  | 'nothing_pending'
  | 'no_disconnect'
  | 'awaiting_verification'
  | 'already_known'
  | 'already_covered'
  | 'still_flapping'
  | 'overridden';
