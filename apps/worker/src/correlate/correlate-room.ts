import { type CorrelatedGroup, correlateDue, type Policies } from '@tidegate/store';
import { newId } from '@tidegate/vault';
import type { WorkerContext } from '../worker-context.ts';

const BATCH = 100;

/** Correlates every group whose debounce has ended, in batches, and says what became of each. */
export async function correlateRoom(context: WorkerContext): Promise<void> {
  const { policies } = context.config;
  const defaults = policies.default;
  if (defaults === undefined) throw new Error('a loaded config always holds the default policy');
  const usable: Policies = { byName: policies, fallback: defaults };
  for (;;) {
    const groups = await correlateDue(context.sql, BATCH, usable, () => newId('inc'));
    for (const group of groups) report(context, group);
    if (groups.length < BATCH) return;
  }
}

const EVENTS = { open: 'incident.opened', reopen: 'incident.reopened', join: 'incident.joined' } as const;

function report({ log, metrics }: WorkerContext, { decision, group, incidentId }: CorrelatedGroup): void {
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
      log.info('blip.recorded', { group: group.alias });
      break;
    case 'wait':
    case 'none':
      break;
  }
}
