import { type ReceiverRow, listReceivers as readReceivers } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';
import { silentAfterMs } from './silent-after-ms.ts';

/** `tidegate receivers list`: when each was last heard, and whether the gates are held because of it. */
export async function listReceivers(flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql, _keyring, env) => {
    const receivers = await readReceivers(sql, silentAfterMs(env));
    if (flags.json) {
      say(JSON.stringify({ items: receivers }));
      return;
    }
    for (const receiver of receivers) show(receiver);
    if (receivers.some(({ silent }) => silent)) {
      say('While a receiver is SILENT every gate is held, but those that are forced open: it may hold a Disconnected.');
    }
    if (receivers.length === 0) say('No receiver has ever been heard.');
  });
}

function show({ id, heartbeatAt, retiredAt, retiredBy, silent }: ReceiverRow): void {
  const state = retiredAt === null ? (silent ? 'SILENT' : 'heard') : 'retired';
  const end = retiredAt === null ? '' : `, retired ${retiredAt.toISOString()} by ${retiredBy ?? 'somebody'}`;
  say(`${id.padEnd(24)}  ${state.padEnd(7)}  last heard ${heartbeatAt.toISOString()}${end}`);
}
