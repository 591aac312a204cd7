import { isMass, type MassPolicy } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { type BeginningMass, findMass } from './find-mass.ts';
import type { StandingMass } from './load-group-facts.ts';
import type { WatchedSourceGroup } from './look-around.ts';
import type { Policies } from './policies.ts';
import { countStillDown } from './regroup.ts';

/** A mass outage this pass works with. */
export interface PassMass extends StandingMass {
  /** Null when it goes on, or only lingers. */
  readonly beginning: BeginningMass | null;
}

/**
 * The mass outages of source groups that a pass works with, by the name of the source group: what goes on, what lingers
 * because the last of it is not back, and what this pass begins. One that lingers begins anew, and is told again, when
 * many devices are lost once more.
 */
export async function weighMasses(
  tx: Transaction,
  sourceGroups: readonly WatchedSourceGroup[],
  policies: Policies,
  now: Date,
  newIncidentId: () => string,
): Promise<ReadonlyMap<string, PassMass>> {
  const masses = new Map<string, PassMass>();
  for (const sourceGroup of sourceGroups) {
    const { name, mass } = sourceGroup;
    const joinsUntil = mass === null ? null : await joinsUntilOf(tx, mass, name, policies.mass, now);
    const goesOn = joinsUntil !== null && joinsUntil >= now.getTime();
    const beginning = goesOn ? null : await findMass(tx, sourceGroup, policies, now);
    const id = mass ?? (beginning === null ? null : idOf(beginning, newIncidentId));
    if (id === null) continue;
    const begins = beginning !== null;
    masses.set(name, {
      id,
      begins,
      joinsUntil: begins ? Number.POSITIVE_INFINITY : (joinsUntil ?? 0),
      absorbs: new Set(beginning?.absorbs),
      beginning: beginning === null || mass === null ? beginning : beginAnew(beginning, mass),
    });
  }
  return masses;
}

/** Whoever shows a first sign within its window of the last that joined was lost with it; anybody while it is a mass still. */
async function joinsUntilOf(
  tx: Transaction,
  id: string,
  massGroup: string,
  mass: MassPolicy | null,
  now: Date,
): Promise<number> {
  const [last] = await tx<{ at: Date }[]>`
    select at from timeline_entry where incident_id = ${id} and event in ('mass.started', 'mass.joined') order by id desc limit 1`;
  const until = (last?.at.getTime() ?? 0) + (mass?.windowMs ?? 0);
  // In the midst of its burst nothing needs to be counted.
  if (mass === null || until >= now.getTime()) return until;
  const { devices, known } = await countStillDown(tx, id, massGroup);
  return isMass(devices, known, mass) ? Number.POSITIVE_INFINITY : until;
}

function idOf({ decision }: BeginningMass, newIncidentId: () => string): string {
  return decision.decision === 'reopen' ? decision.incident : newIncidentId();
}

function beginAnew({ decision, absorbs }: BeginningMass, incident: string): BeginningMass {
  return { decision: { ...decision, decision: 'reopen', incident }, absorbs };
}
