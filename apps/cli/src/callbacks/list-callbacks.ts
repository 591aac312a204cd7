import type { CallbackState } from '@tidegate/core';
import { type CallbackRow, readCallback, listCallbacks as readPage } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import type { TableRow } from '../output/format-table.ts';
import { CALLBACK_TONES } from '../output/list-tones.ts';
import { say } from '../output/say.ts';
import { type ListFlags, showList } from '../output/show-list.ts';
import { describeCallback } from './describe-callback.ts';

export interface ListCallbacksFlags extends ListFlags {
  readonly service?: string;
  readonly state?: CallbackState;
  readonly limit: number;
  readonly cursor?: string;
}

/** `tidegate callbacks list`: newest first; of a URL the origin, of headers, body and key nothing. */
export function listCallbacks(flags: ListCallbacksFlags): Promise<void> {
  return showCallbacks(flags, 'No callbacks.');
}

/** The callbacks that the flags ask for, as a table or as the page in JSON. */
export async function showCallbacks(flags: ListCallbacksFlags, whenNone: string): Promise<void> {
  const { service = null, state = null, cursor = null, limit } = flags;
  await withStore((sql) =>
    showList(flags, async () => {
      const page = await readPage(sql, { service, state, cursor, limit, services: null });
      return {
        head: ['ID', 'STATE', 'HANDED OVER', 'SERVICE', 'DESTINATION', 'ATTEMPTS', 'REASON'],
        rows: page.items.map(toRow),
        after: [
          ...(page.items.length === 0 ? [whenNone] : []),
          ...(page.nextCursor === null ? [] : [`More: --cursor ${page.nextCursor}`]),
        ],
        json: page,
      };
    }),
  );
}

/** `tidegate callbacks show ID`: one with every attempt, and what reconciliation found. */
export async function showCallback(id: string, flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const callback = await readCallback(sql, id, null);
    if (callback === null) {
      fail('There is no callback of this id.', 1);
      return;
    }
    if (flags.json) say(JSON.stringify(callback));
    else for (const line of describeCallback(callback)) say(line);
  });
}

function toRow({ id, state, service, method, origin, attempts, createdAt, reason }: CallbackRow): TableRow {
  const toned = { text: state, tone: CALLBACK_TONES[state] };
  const cells = [id, toned, createdAt.toISOString(), service, `${method} ${origin}`, String(attempts), reason ?? '-'];
  return { key: id, cells };
}
