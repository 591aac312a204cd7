import {
  combinePolicies,
  decideMass,
  type LostDevice,
  type MassDecision,
  type Policy,
  type SubjectType,
} from '@tidegate/core';
import type { Transaction } from '../database/connect.ts';
import { sinceOf } from './list-incidents.ts';
import type { WatchedSourceGroup } from './look-around.ts';
import type { Policies } from './policies.ts';

/** A mass outage that this pass opens. */
export interface BeginningMass {
  readonly decision: Extract<MassDecision, { decision: 'open' | 'reopen' }>;
  /** Groups lost within its window, lone tunnels among them. */
  readonly absorbs: readonly number[];
}

interface LostGroup extends LostDevice {
  readonly id: number;
  readonly type: SubjectType;
  /** First unhandled observation; null when it was decided before. */
  readonly firstAt: Date | null;
}

/**
 * Looks whether what is down in a source group is one outage of many devices. It is once the first sign of something that
 * is still down is as old as the debounce, whatever has come since: a burst that lasts must not put the page off.
 */
export async function findMass(
  tx: Transaction,
  sourceGroup: WatchedSourceGroup,
  policies: Policies,
  now: Date,
): Promise<BeginningMass | null> {
  const { mass } = policies;
  if (mass === null || !sourceGroup.several) return null;
  const policy = await loadPolicy(tx, sourceGroup.name, policies);
  const ripe = new Date(now.getTime() - Math.min(policy.openAfterMs, policy.maxWaitMs));
  if (!(await hasRipened(tx, sourceGroup.name, ripe))) return null;
  const openedSince = new Date(ripe.getTime() - mass.windowMs - policy.maxWaitMs);
  const lost = await loadLost(tx, sourceGroup.name, openedSince);
  const firstAt = Math.min(...lost.map((group) => group.firstAt?.getTime() ?? Number.POSITIVE_INFINITY));
  if (firstAt > ripe.getTime()) return null;
  const knownDevices = await countDevices(tx, sourceGroup.name);
  const decision = decideMass({
    knownDevices,
    lost: lost.filter(({ type }) => type === 'device'),
    policy: { ...mass, reopenWithinMs: policy.reopenWithinMs },
    firstAt,
    lastResolved: await lastResolved(tx, sourceGroup.name),
  });
  if (decision.decision === 'none') return null;
  const absorbs = lost.filter(({ at }) => at >= decision.from && at <= decision.to).map(({ id }) => id);
  return { decision, absorbs };
}

/** The most watchful thresholds of the source group's services. */
async function loadPolicy(tx: Transaction, name: string, { byName, fallback }: Policies): Promise<Policy> {
  const rows = await tx<{ policyName: string }[]>`
    select distinct policy_name from service where group_name = ${name} and retired_at is null order by 1`;
  return combinePolicies(
    rows.flatMap(({ policyName }) => byName[policyName] ?? []),
    fallback,
  );
}

/** An index-free look at the few rows that wait, before everything that is down is weighed. */
async function hasRipened(tx: Transaction, name: string, ripe: Date): Promise<boolean> {
  const [row] = await tx<{ ripened: boolean }[]>`
    select exists (select 1 from pending p join subject s on s.id = p.group_id
      where s.group_name = ${name} and p.disconnects > 0 and p.first_at <= ${ripe}) as ripened`;
  return row?.ripened ?? false;
}

async function countDevices(tx: Transaction, name: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count_devices(${name}) as count`;
  return row?.count ?? 0;
}

/**
 * Groups that are down now: those not decided yet, and those whose incident opened or reopened lately. A device dropped when it said
 * so itself; one that only its tunnels speak of, when the latest of them dropped.
 */
async function loadLost(tx: Transaction, name: string, since: Date): Promise<LostGroup[]> {
  return tx<LostGroup[]>`
    with suspects as (
      select coalesce(s.device_id, s.id) as id from pending p join subject s on s.id = p.group_id
      where s.group_name = ${name} and p.disconnects > 0
      union
      select coalesce(s.device_id, s.id) from incident i join subject s on s.id = i.group_id
      where i.state <> 'resolved' and s.group_name = ${name} and ${sinceOf(tx)} >= ${since}
    )
    select g.id, g.alias, g.type, coalesce(max(m.since_ms) filter (where m.id = m.group_id), max(m.since_ms)) as at,
      (select p.first_at from pending p where p.group_id = g.id and p.disconnects > 0) as first_at
    from group_members(array(select id from suspects)) m join subject g on g.id = m.group_id
    where m.down group by g.id, g.alias, g.type order by g.id`;
}

async function lastResolved(tx: Transaction, name: string): Promise<{ id: string; resolvedAt: number } | null> {
  const [row] = await tx<{ id: string; resolvedAt: Date }[]>`
    select id, resolved_at from incident where mass_group = ${name} and state = 'resolved' and merged_into is null
    order by resolved_at desc limit 1`;
  return row === undefined ? null : { id: row.id, resolvedAt: row.resolvedAt.getTime() };
}
