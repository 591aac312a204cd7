import type { NextDue, PollState, ReceiverRow } from '@tidegate/store';
import type { ApiContext } from '../../api-context.ts';

/** What waits this much longer than it should is overdue: the worker is away, or far behind. */
const LATE_MS = 60_000;

/** How Tidegate itself is. */
export interface Health {
  /** Receivers that are waited for. */
  readonly receivers: readonly ReceiverRow[];
  readonly silent: readonly ReceiverRow[];
  /** Null where the Localtonet API is not polled. */
  readonly poll: PollState | null;
  readonly overdue: readonly { readonly room: string; readonly lateMs: number }[];
  readonly well: boolean;
}

/** Reads it. Throws as the store does: then the pages say that the store is away. */
export async function readHealth({ store, silentAfterMs }: ApiContext): Promise<Health> {
  const [all, poll, due] = await Promise.all([
    store.listReceivers(silentAfterMs),
    store.readPollState(),
    store.nextDue(),
  ]);
  const receivers = all.filter(({ retiredAt }) => retiredAt === null);
  const silent = receivers.filter((one) => one.silent);
  const overdue = listOverdue(due);
  const well = receivers.length > 0 && silent.length === 0 && overdue.length === 0 && (poll?.failures ?? 0) === 0;
  return { receivers, silent, poll, overdue, well };
}

function listOverdue({ now, ...rooms }: NextDue): Health['overdue'] {
  return Object.entries(rooms).flatMap(([room, at]) => {
    const lateMs = at === null ? 0 : now.getTime() - at.getTime();
    return lateMs > LATE_MS ? [{ room, lateMs }] : [];
  });
}
