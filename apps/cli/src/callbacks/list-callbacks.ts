import type { CallbackState } from '@tidegate/core';
import { type CallbackRow, readCallback, listCallbacks as readPage } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { describeCallback } from './describe-callback.ts';

export interface ListCallbacksFlags {
  readonly service?: string;
  readonly state?: CallbackState;
  readonly limit: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

const STATE_WIDTH = 'needs_review'.length;

/** `tidegate callbacks list`: newest first; of a URL the origin, of headers, body and key nothing. */
export function listCallbacks(flags: ListCallbacksFlags): Promise<void> {
  return printCallbacks(flags, 'No callbacks.');
}

/** One line for each callback that the flags ask for, or the page as JSON. */
export async function printCallbacks(flags: ListCallbacksFlags, whenNone: string): Promise<void> {
  await withStore(async (sql) => {
    const { service = null, state = null, cursor = null, limit } = flags;
    const page = await readPage(sql, { service, state, cursor, limit, services: null });
    if (flags.json) {
      say(JSON.stringify(page));
      return;
    }
    for (const row of page.items) say(describeRow(row));
    if (page.items.length === 0) say(whenNone);
    if (page.nextCursor !== null) say(`More: --cursor ${page.nextCursor}`);
  });
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

function describeRow({ id, state, service, method, origin, attempts, createdAt, reason }: CallbackRow): string {
  const tried = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const why = reason === null ? '' : `  ${reason}`;
  return `${id}  ${state.padEnd(STATE_WIDTH)}  ${createdAt.toISOString()}  ${service}  ${method} ${origin}  ${tried}${why}`;
}
