import { decideGroup, type GroupDecision } from '@tidegate/core';
import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { applyOpening, type Opening } from './apply-opening.ts';
import { type LoadedGroup, loadGroupFacts, type Policies } from './load-group-facts.ts';
import { takeDueGroups } from './take-due-groups.ts';

export interface CorrelatedGroup {
  readonly decision: GroupDecision;
  readonly group: { readonly alias: string; readonly name: string | null };
  readonly incidentId: string | null;
}

/**
 * Correlates a batch of due groups in one transaction: pending rows are locked, facts loaded, `decideGroup` asked, and the
 * decision saved with the rows' end. Call again while it answers a full batch.
 * @param newIncidentId makes ids for the incidents that open
 */
export async function correlateDue(
  sql: Sql,
  limit: number,
  policies: Policies,
  newIncidentId: () => string,
): Promise<CorrelatedGroup[]> {
  return inTransaction(sql, async (tx) => {
    const due = await takeDueGroups(tx, limit);
    if (due.length === 0) return [];
    const [clock] = await tx<{ now: Date }[]>`select clock_timestamp() as now`;
    const now = (clock?.now ?? new Date(0)).getTime();
    const groups = await loadGroupFacts(tx, due, policies);
    const results: CorrelatedGroup[] = [];
    for (const group of groups) {
      const decision = decideGroup(group.facts, now);
      results.push({
        decision,
        group: group.facts.group,
        incidentId: await saveDecision(tx, group, decision, newIncidentId),
      });
    }
    const kept = new Set(
      results.flatMap((result, index) => (result.decision.decision === 'wait' ? (groups[index]?.due.rows ?? []) : [])),
    );
    const handled = due.flatMap((group) => group.rows).filter((row) => !kept.has(row));
    await tx`delete from pending where group_id = any(${handled}::bigint[])`;
    return results;
  });
}

async function saveDecision(
  tx: Transaction,
  group: LoadedGroup,
  decision: GroupDecision,
  newIncidentId: () => string,
): Promise<string | null> {
  switch (decision.decision) {
    case 'wait':
      await tx`update pending set due_at = ${new Date(decision.dueAt)} where group_id = any(${group.due.rows}::bigint[])`;
      return null;
    case 'blip':
      await tx`insert into blip (group_id, first_at, last_at, count, recorded_at)
               values (${group.due.groupId}, ${group.due.firstAt}, ${group.due.lastAt}, ${group.due.count}, clock_timestamp())`;
      return null;
    case 'none':
      return null;
    case 'open':
    case 'reopen':
    case 'join':
      return applyOpening(tx, toOpening(group, decision, newIncidentId));
  }
}

function toOpening(
  group: LoadedGroup,
  decision: Extract<GroupDecision, { decision: 'open' | 'reopen' | 'join' }>,
  newIncidentId: () => string,
): Opening {
  const incidentId = decision.decision === 'open' ? newIncidentId() : decision.incident;
  return { groupId: group.due.groupId, group: group.facts.group, incidentId, decision, idByAlias: group.idByAlias };
}
