import type { SubjectType } from '../model/subject.ts';

/** A subject with what the topology knows of it. */
export interface GroupedSubject {
  readonly type: SubjectType;
  readonly alias: string;
  /** The alias of the tunnel's device; null when unknown, and for a device. */
  readonly deviceAlias: string | null;
}

/**
 * The correlation group of a subject, named by the alias of its group subject: the device when known, else the tunnel.
 * The only place that computes it, so that what opens an incident and what looks for it cannot differ. Source: DESIGN
 * §5.
 */
export function groupKey(subject: GroupedSubject): string {
  return subject.type === 'device' ? subject.alias : (subject.deviceAlias ?? subject.alias);
}
