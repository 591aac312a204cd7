import type { Queue } from '@tidegate/queue';
import type { Log } from '@tidegate/runtime';
import { createAlarmSetter } from './alarm-setter.ts';
import type { CommitEffects } from './commit-deliveries.ts';

/** After a commit, and not awaited by any answer: an alarm that is lost is found by the sweeper. */
export function createAnnouncer(queue: Queue, log: Log): (effects: CommitEffects) => void {
  const setAlarms = createAlarmSetter(queue, Date.now);
  return (effects) => {
    for (const service of effects.shut) log.info('gate.held', { service, reason: 'disconnected' });
    setAlarms('correlate', effects.armedDue);
    setAlarms('verify', effects.verifyDue);
  };
}
