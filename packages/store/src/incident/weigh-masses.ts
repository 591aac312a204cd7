import type { MassPolicy } from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { type BeginningMass, findMass } from './find-mass.ts';
import { isStillMass } from './is-still-mass.ts';
import type { StandingMass } from './load-group-facts.ts';
import type { WatchedSourceGroup } from './look-around.ts';
import type { Policies } from './policies.ts';

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
    const standing = mass === null ? null : await readStanding(tx, mass, name, policies.mass, now);
    const goesOn = standing !== null && standing.joinsUntil >= now.getTime();
    const beginning = goesOn ? null : await findMass(tx, sourceGroup, policies, now);
    const id = mass ?? (beginning === null ? null : idOf(beginning, newIncidentId));
    if (id === null) continue;
    const begins = beginning !== null;
    masses.set(name, {
      id,
      begins,
      joinsUntil: begins ? Number.POSITIVE_INFINITY : (standing?.joinsUntil ?? 0),
      absorbs: new Set(beginning?.absorbs),
      begunAt: begins ? now.getTime() : (standing?.begunAt ?? 0),
      windowMs: policies.mass?.windowMs ?? 0,
      beginning: beginning === null || mass === null ? beginning : beginAnew(beginning, mass),
    });
  }
  return masses;
}

/**
 * When it began last, and until when others join it: whoever shows a first sign within its window of the last that joined was
 * lost with it; anybody while it is a mass still.
 */
async function readStanding(
  tx: Transaction,
  id: string,
  massGroup: string,
  mass: MassPolicy | null,
  now: Date,
): Promise<{ readonly begunAt: number; readonly joinsUntil: number }> {
  const [told] = await tx<{ begunAt: Date | null; lastAt: Date | null }[]>`
    select max(at) filter (where event = 'mass.started') as begun_at, max(at) as last_at
    from timeline_entry where incident_id = ${id} and event in ('mass.started', 'mass.joined')`;
  const begunAt = told?.begunAt?.getTime() ?? 0;
  const joinsUntil = (told?.lastAt?.getTime() ?? 0) + (mass?.windowMs ?? 0);
  // In the midst of its burst nothing needs to be counted.
  if (mass === null || joinsUntil >= now.getTime()) return { begunAt, joinsUntil };
  const goesOn = await isStillMass(tx, id, massGroup, mass);
  return { begunAt, joinsUntil: goesOn ? Number.POSITIVE_INFINITY : joinsUntil };
}

function idOf({ decision }: BeginningMass, newIncidentId: () => string): string {
  return decision.decision === 'reopen' ? decision.incident : newIncidentId();
}

function beginAnew({ decision, absorbs }: BeginningMass, incident: string): BeginningMass {
  return { decision: { ...decision, decision: 'reopen', incident }, absorbs };
}
