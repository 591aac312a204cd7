import { type CorrelatedGroup, correlateDue, type Policies } from '@tidegate/store';
import { newId } from '@tidegate/vault';
import type { WorkerContext } from '../worker-context.ts';

/** Groups per transaction: while it runs, new reports about them wait, and each may bring dozens of tunnels into memory. */
const BATCH = 120;

/** Correlates every group whose debounce has ended, in batches, and says what became of each. */
export async function correlateRoom(context: WorkerContext): Promise<void> {
  const policies = toPolicies(context);
  for (;;) {
    const groups = await correlateDue(context.sql, BATCH, policies, () => newId('inc'));
    report(context, groups);
    context.traces.correlated(groups);
    // What waits is not due any more, or will be in a moment: the sweep comes back for it.
    if (groups.every(({ decision }) => decision.decision === 'wait')) return;
  }
}

function toPolicies({ config, localtonet }: WorkerContext): Policies {
  const { default: fallback } = config.policies;
  if (fallback === undefined) throw new Error('a loaded config always holds the default policy');
  return { byName: config.policies, fallback, mass: config.mass, polls: localtonet !== null };
}

const EVENTS = { open: 'incident.opened', reopen: 'incident.reopened', join: 'incident.joined' } as const;

/** One line per group, but one for all that joined a mass outage: a line per member would be a storm of its own. */
function report(context: WorkerContext, groups: readonly CorrelatedGroup[]): void {
  const massive = new Map<string, { count: number; begins: boolean }>();
  for (const group of groups) {
    const { decision, incidentId, beginsMass } = group;
    if (decision.decision === 'join' && decision.kind === 'mass' && incidentId !== null)
      massive.set(incidentId, { count: (massive.get(incidentId)?.count ?? 0) + 1, begins: beginsMass });
    else reportGroup(context, group);
  }
  for (const [incident, { count, begins }] of massive) {
    if (begins) context.metrics.count('correlate.opened', { kind: 'mass' });
    const event = begins ? 'incident.opened' : 'incident.joined';
    context.log.info(event, { incident, kind: 'mass', subjects: count, why: 'mass_outage' });
  }
}

function reportGroup({ log, metrics }: WorkerContext, { decision, group, incidentId }: CorrelatedGroup): void {
  switch (decision.decision) {
    case 'open':
    case 'reopen':
    case 'join': {
      const { kind, reason } = decision;
      if (decision.decision !== 'join') metrics.count('correlate.opened', { kind });
      log.info(EVENTS[decision.decision], { incident: incidentId, kind, group: group.alias, why: reason });
      break;
    }
    case 'blip':
      metrics.count('correlate.blips', {});
      log.info('blip.recorded', { group: group.alias });
      break;
    case 'wait':
    case 'none':
      break;
  }
}
