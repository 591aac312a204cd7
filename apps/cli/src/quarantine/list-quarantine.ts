import { listQuarantine as readQuarantine } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';

/** `tidegate quarantine list`: what came from a known source and was not understood, newest first; nothing is opened. */
export async function listQuarantine(flags: { limit: number; json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const rows = await readQuarantine(sql, flags.limit);
    if (flags.json) {
      say(JSON.stringify({ items: rows }));
      return;
    }
    for (const { id, source, receivedAt, field, problem, bytes, replayedAs } of rows) {
      const replayed = replayedAs === null ? '' : `  replayed as ${replayedAs}`;
      say(`${id}  ${receivedAt.toISOString()}  ${source}  ${field} ${problem}  ${bytes} bytes${replayed}`);
    }
    if (rows.length === 0) say('Nothing is in quarantine.');
  });
}
