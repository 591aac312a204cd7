import type { Queue, Room } from '@tidegate/queue';
import { type NextDue, nextDue, type Sql } from '@tidegate/store';
import type { Drain } from './create-drain.ts';

const ROOMS: readonly Room[] = ['correlate', 'verify', 'release', 'notify'];

/**
 * Wakes each room that has something overdue, whatever became of its alarm, and sets an alarm for what is due next:
 * Postgres is the truth, a job only the alarm clock (I12). An alarm that cannot be set is not an error here.
 * @returns what it found
 */
export async function sweep(
  context: { readonly sql: Sql; readonly queue: Pick<Queue, 'publish'> },
  drains: Readonly<Record<Room, Drain>>,
  onFailure: (error: unknown) => void,
): Promise<NextDue> {
  const due = await nextDue(context.sql);
  const ahead = ROOMS.flatMap((room) => {
    const at = due[room];
    return at !== null && at > due.now ? [{ room, dueAtMs: at.getTime() }] : [];
  });
  context.queue.publish(ahead).catch(() => undefined);
  for (const room of ROOMS) {
    const at = due[room];
    // Not awaited: a room that is busy must not keep the others from being woken.
    if (at !== null && at <= due.now) drains[room].wake().catch(onFailure);
  }
  return due;
}
