import { setTimeout as delay } from 'node:timers/promises';
import { composeTest } from '@tidegate/core';
import { loadConfig } from '@tidegate/runtime';
import { askForTest, type NotificationRow, readNotification, type Sql } from '@tidegate/store';
import { newId } from '@tidegate/vault';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';

const LOOK_EVERY_MS = 200;
const USAGE = 2;

/**
 * `tidegate notify test CHANNEL`: puts a test into the ledger, which the worker sends from where it stands, as it would an
 * incident; this process knows no destination.
 */
export async function testChannel(channel: string, { wait, json }: { wait: number; json?: boolean }): Promise<void> {
  await withStore(async (sql, _keyring, env) => {
    const { notify } = loadConfig({ file: env.configFile, app: 'cli' });
    if (!notify.channels.some(({ name }) => name === channel)) {
      const names = notify.channels.map(({ name }) => name).join(', ');
      fail(
        `There is no channel ${channel} in ${env.configFile}; there ${names === '' ? 'are none' : `is ${names}`}.`,
        USAGE,
      );
      return;
    }
    const id = newId('ntf');
    await askForTest(sql, { id, channel, message: composeTest(newId('test'), channel, Date.now()) });
    const row = await waitForEnd(sql, id, wait);
    if (json) say(JSON.stringify({ notification: id, channel, ...present(row) }));
    report(channel, row, json === true);
  });
}

async function waitForEnd(sql: Sql, id: string, waitMs: number): Promise<NotificationRow | null> {
  const startedAtMs = performance.now();
  for (;;) {
    const row = await readNotification(sql, id);
    const ended = row !== null && row.endedAt !== null;
    if (ended || performance.now() - startedAtMs >= waitMs) return row;
    await delay(LOOK_EVERY_MS);
  }
}

function present(row: NotificationRow | null) {
  return {
    delivered: row?.state === 'sent',
    state: row?.state ?? null,
    attempts: row?.attempts ?? 0,
    status: row?.status ?? null,
    reason: row?.reason ?? null,
  };
}

function report(channel: string, row: NotificationRow | null, quiet: boolean): void {
  if (row?.state === 'sent') {
    if (!quiet) say(`${channel} took the test${row.status === null ? '' : ` (${row.status})`}.`);
    return;
  }
  const answered = row === null || row.status === null ? '' : ` (${row.status})`;
  const sentence =
    row === null || row.attempts === 0
      ? 'No worker took the test up: see that one runs with this config, and that the channel is not paused in `tidegate notify list`.'
      : `${channel} has not taken the test after ${row.attempts} attempt(s): ${row.reason ?? 'no answer yet'}${answered}.`;
  fail(sentence, 1);
}
