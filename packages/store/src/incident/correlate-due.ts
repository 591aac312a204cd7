import { decideGroup, type GroupDecision } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { tellBlip } from '../event/tell-blip.ts';
import { askForPoll } from '../poll/ask-for-poll.ts';
import { applyMass } from './apply-mass.ts';
import { applyOpening } from './apply-opening.ts';
import { type LoadedGroup, loadGroupFacts } from './load-group-facts.ts';
import { lookAround } from './look-around.ts';
import type { Policies } from './policies.ts';
import { type DueGroup, takeAbsorbedGroups, takeDueGroups } from './take-due-groups.ts';
import { tellFlapping } from './tell-flapping.ts';
import { type PassMass, weighMasses } from './weigh-masses.ts';

/** Element type: postgres.js guesses an array's type from its first element and gets this one wrong. */
const BOOLEAN = 16;
/** A gate that another transaction has is free again within a moment. */
const BUSY_MS = 250;

export interface CorrelatedGroup {
  readonly decision: GroupDecision;
  readonly group: { readonly alias: string; readonly name: string | null };
  readonly incidentId: string | null;
  /** It joined a mass outage that this very pass opened. */
  readonly beginsMass: boolean;
}

/**
 * Correlates a batch of due groups in one transaction: pending rows are locked, facts loaded, `decideGroup` asked, and the
 * decision saved with the rows' end. Groups of a mass outage are saved together, however many. Call again while it answers
 * anything but `wait`.
 * @param newIncidentId makes ids for the incidents that open
 */
export async function correlateDue(
  sql: Sql,
  limit: number,
  policies: Policies,
  newIncidentId: () => string,
): Promise<CorrelatedGroup[]> {
  return inTransaction(sql, async (tx) => {
    const sourceGroups = await lookAround(tx);
    if (sourceGroups.length === 0) return [];
    const [clock] = await tx<{ now: Date }[]>`select clock_timestamp() as now`;
    const now = clock?.now ?? new Date(0);
    const masses = await weighMasses(tx, sourceGroups, policies, now, newIncidentId);
    const names = sourceGroups.map(({ name }) => name);
    const due = await takeDueGroups(tx, limit, names, {
      open: [...masses].flatMap(([name, mass]) => (!mass.begins && mass.joinsUntil >= now.getTime() ? [name] : [])),
      beginning: [...masses].flatMap(([name, { begins }]) => (begins ? [name] : [])),
    });
    const absorbed = await takeAbsorbedGroups(
      tx,
      [...masses.values()].flatMap(({ absorbs }) => [...absorbs]),
      due,
    );
    const groups = await loadGroupFacts(tx, [...due, ...absorbed], policies, masses);
    const decided = groups.map((group) => ({ group, decision: decideGroup(group.facts, now.getTime()) }));
    const saved = await saveDecisions(tx, decided, { policies, masses, newIncidentId, now });
    await tellFlapping(tx, saved, { now, polls: policies.polls });
    await endPending(tx, due, saved);
    if (policies.polls) await askForPoll(tx, awaited(saved), 0);
    return saved.map(({ group, decision, incidentId }) => ({
      decision,
      group: group.facts.group,
      incidentId,
      beginsMass: 'kind' in decision && decision.kind === 'mass' && (masses.get(group.sourceGroup)?.begins ?? false),
    }));
  });
}

interface Decided {
  readonly group: LoadedGroup;
  readonly decision: GroupDecision;
}

type Saved = Decided & { readonly incidentId: string | null };

interface Pass {
  readonly policies: Policies;
  readonly masses: ReadonlyMap<string, PassMass>;
  readonly newIncidentId: () => string;
  readonly now: Date;
}

async function saveDecisions(tx: Transaction, decided: readonly Decided[], pass: Pass): Promise<Saved[]> {
  for (const [sourceGroup, { id, beginning }] of pass.masses) {
    const groups = decided.flatMap(({ group, decision }) =>
      decision.decision === 'join' && decision.kind === 'mass' && decision.incident === id
        ? [{ decision, idByAlias: group.idByAlias, groupId: group.due.groupId }]
        : [],
    );
    // A beginning that nothing joins any more is none.
    if (groups.length > 0)
      await applyMass(tx, { sourceGroup, incidentId: id, beginning, groups, polls: pass.policies.polls });
  }
  const saved: Saved[] = [];
  for (const { group, decision } of decided) saved.push({ group, ...(await saveDecision(tx, group, decision, pass)) });
  return saved;
}

async function saveDecision(
  tx: Transaction,
  group: LoadedGroup,
  decision: GroupDecision,
  { policies, newIncidentId, now }: Pass,
): Promise<Omit<Saved, 'group'>> {
  switch (decision.decision) {
    case 'wait':
      return { decision, incidentId: null };
    case 'blip':
      await tx`insert into blip (group_id, first_at, last_at, count, recorded_at)
               values (${group.due.groupId}, ${group.due.firstAt}, ${group.due.lastAt}, ${group.due.count}, clock_timestamp())`;
      await tellBlip(tx, group.due.groupId, { ...group.due, group: group.facts.group });
      return { decision, incidentId: null };
    case 'none':
      return { decision, incidentId: null };
    case 'open':
    case 'reopen':
    case 'join': {
      if (decision.kind === 'mass')
        return { decision, incidentId: decision.decision === 'join' ? decision.incident : null };
      const incidentId = decision.decision === 'open' ? newIncidentId() : decision.incident;
      const { due, facts, idByAlias } = group;
      const opening = {
        groupId: due.groupId,
        group: facts.group,
        incidentId,
        decision,
        idByAlias,
        polls: policies.polls,
      };
      const placed = await applyOpening(tx, opening);
      if (placed !== null) return { decision, incidentId: placed };
      return { decision: { decision: 'wait', reason: 'debounce', dueAt: now.getTime() + BUSY_MS }, incidentId: null };
    }
  }
}

/**
 * Ends the rows of what was decided, puts off what waits, and keeps a row of what must be looked at again although nothing
 * came. Only rows locked at the start are touched: another row must not be waited for after incidents are locked.
 */
async function endPending(tx: Transaction, due: readonly DueGroup[], saved: readonly Saved[]): Promise<void> {
  const kept = saved.flatMap(
    ({
      group: {
        due: { rows },
      },
      decision,
    }) => {
      if (decision.decision === 'wait')
        return rows.map((row) => ({ row, at: new Date(decision.dueAt), observed: true }));
      const at = 'lookAgainAt' in decision ? decision.lookAgainAt : null;
      return at === null ? [] : rows.slice(0, 1).map((row) => ({ row, at: new Date(at), observed: false }));
    },
  );
  const keptRows = new Set(kept.map(({ row }) => row));
  const ended = due.flatMap(({ rows }) => rows).filter((row) => !keptRows.has(row));
  if (ended.length > 0) await tx`delete from pending where group_id = any(${ended}::bigint[])`;
  if (kept.length === 0) return;
  await tx`
    update pending p set due_at = i.at,
      first_at = case when i.observed then p.first_at else clock_timestamp() end,
      last_at = case when i.observed then p.last_at else clock_timestamp() end,
      count = case when i.observed then p.count else 0 end,
      disconnects = case when i.observed then p.disconnects else 0 end
    from unnest(${kept.map(({ row }) => row)}::bigint[], ${kept.map(({ at }) => at.toISOString())}::timestamptz[], ${tx.array(
      kept.map(({ observed }) => observed),
      BOOLEAN,
    )}::boolean[]) as i(row, at, observed)
    where p.group_id = i.row`;
}

/** Incidents of which everything seems to be back. */
function awaited(saved: readonly Saved[]): string[] {
  return saved.flatMap(({ group: { facts }, decision }) => {
    const incident = facts.open ?? facts.mass ?? null;
    const waits = decision.decision === 'none' && decision.reason === 'awaiting_verification';
    return waits && incident !== null ? [incident.id] : [];
  });
}
