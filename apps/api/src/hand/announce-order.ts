import type { Audited, OrderedGate } from '@tidegate/store';
import type { ApiContext } from '../api-context.ts';
import { logHead } from './acting-key.ts';

/** Tells the log, and the release room, what a person's order did to a gate. */
export function announceOrder(
  { log, wakeRelease }: ApiContext,
  service: string,
  { outcome, head }: Audited<OrderedGate>,
): void {
  logHead(log, head);
  if (outcome.kind !== 'moved') return;
  const { generation, opens, shuts, hand } = outcome;
  const reason = hand === 'held' ? 'held_by_hand' : hand === 'open' ? 'forced_open' : 'hand_released';
  if (hand === 'open') log.info('gate.forced_open', { service, reason, generation });
  else if (shuts) log.info('gate.held', { service, reason, generation });
  if (opens) wakeRelease();
}
