import type { IncidentKind } from '../model/incident.ts';
import type { Policy } from '../model/policy.ts';
import type { ConnectivityStatus, SubjectRef } from '../model/subject.ts';

/** A subject as the topology knows it now; a replay does not know how it was then. */
export interface ReplaySubject extends SubjectRef {
  readonly sourceGroup: string;
  /** The alias of a tunnel's device; null when unknown, and for a device. */
  readonly deviceAlias: string | null;
  /** Whether anybody wants to hear of it: a service depends on it, or its source watches everything. */
  readonly watched: boolean;
  /** Policies of the services that depend on it, by name. */
  readonly policies: readonly string[];
}

export interface ReplayObservation {
  readonly key: string;
  /** Alias. */
  readonly subject: string;
  readonly status: ConnectivityStatus;
  /** 100 ns ticks since the Unix epoch; null when undated. */
  readonly ticks: bigint | null;
  readonly trusted: boolean;
  /** Epoch ms of the first receipt. */
  readonly receivedAt: number;
}

/** What was seen: `before` only sets the scene, `observations` are played. Order plays no part in either. */
export interface ReplayHistory {
  readonly subjects: readonly ReplaySubject[];
  readonly before: readonly ReplayObservation[];
  readonly observations: readonly ReplayObservation[];
  /** Epoch ms at which the simulated clock stops. */
  readonly until: number;
}

/** The thresholds to play it under. */
export interface ReplayRules {
  readonly byName: Readonly<Record<string, Policy>>;
  readonly fallback: Policy;
  readonly mass: { readonly windowMs: number; readonly minDevices: number; readonly fraction: number } | null;
}

/** An incident that would have been; times in epoch ms of the simulated clock. */
export interface ReplayedIncident {
  readonly id: string;
  readonly kind: IncidentKind;
  /** The alias of the group's subject, or the name of the source group of a mass outage. */
  readonly group: string;
  /** When the outage began, by its ActionDate. */
  readonly since: number;
  readonly openedAt: number;
  readonly reopenedAt: readonly number[];
  readonly flappingAt: readonly number[];
  /** Null while it would still be open. */
  readonly resolvedAt: number | null;
  readonly mergedInto: string | null;
  /** Aliases of its subjects, sorted. */
  readonly members: readonly string[];
}

export interface Replay {
  /** By the time they opened. */
  readonly incidents: readonly ReplayedIncident[];
  readonly blips: readonly { readonly group: string; readonly at: number }[];
  /** Openings and reopenings: each of them pages. */
  readonly pages: number;
}
