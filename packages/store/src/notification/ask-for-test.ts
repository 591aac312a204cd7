import type { NotificationMessage } from '@tidegate/core';
import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';

/** Puts a test into the ledger, to be sent as any notification is: by the worker, from where the worker stands. */
export async function askForTest(
  sql: Sql,
  { id, channel, message }: { readonly id: string; readonly channel: string; readonly message: NotificationMessage },
): Promise<void> {
  try {
    await sql`
      insert into notification (id, thread, generation, channel, kind, episode, severity, news, acknowledged, message, decided_at, due_at)
      select ${id}, ${message.thread}, 1, ${channel}, 'test', 0, 'info', '', false, ${JSON.stringify(message)}::text::jsonb, now.at, now.at
      from (select clock_timestamp() as at) now`;
  } catch (error) {
    throw toStoreError(error);
  }
}
