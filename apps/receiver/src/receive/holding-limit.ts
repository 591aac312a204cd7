import type { RateRule } from '@tidegate/core';
import type { Queue } from '@tidegate/queue';
import type { Log } from '@tidegate/runtime';
import { holdSourceGates, type Sql } from '@tidegate/store';
import { createAlarmSetter } from '../record/alarm-setter.ts';
import { withDeadline } from '../record/with-deadline.ts';
import { createRateLimit, type RateLimit } from './rate-limit.ts';

const DEADLINE_MS = 10_000;

/**
 * The limit of `receiver.rateLimit`: before a delivery is turned away, what it could have shut is held in the store, and
 * the workers that verify it are woken.
 * @returns null when no limit is configured
 */
export function createHoldingLimit(
  rule: RateRule | null,
  { sql, queue, log }: { readonly sql: Sql; readonly queue: Queue; readonly log: Log },
): RateLimit | null {
  if (rule === null) return null;
  const setAlarms = createAlarmSetter(queue, Date.now);
  const hold = async (sourceIds: readonly number[]) => {
    const { shut, verifyDue } = await holdSourceGates(sql, sourceIds);
    for (const service of shut) log.info('gate.held', { service, reason: 'rate_limited' });
    setAlarms('verify', verifyDue);
  };
  return createRateLimit({
    rule,
    hold: (sourceIds) => withDeadline(hold(sourceIds), DEADLINE_MS),
    now: () => performance.now(),
  });
}
