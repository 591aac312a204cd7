import { listOpenedValues, readAuditHead, listAudit as readRows } from '@tidegate/store';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { describeHead, presentHead } from './present-head.ts';

/** `tidegate audit list`: what people did and keys were used for, newest first. */
export async function listAudit(flags: { limit: number; before?: number; json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const rows = await readRows(sql, flags.before ?? null, flags.limit);
    if (flags.json) {
      const items = rows.map(({ mac, ...row }) => ({ ...row, mac: presentHead({ seq: row.seq, mac }).mac }));
      say(JSON.stringify({ items, nextBefore: rows.length === flags.limit ? (rows.at(-1)?.seq ?? null) : null }));
      return;
    }
    for (const { seq, at, actor, action, target, reason } of rows) {
      say(
        `${String(seq).padStart(5)}  ${at.slice(0, 19)}Z  ${actor}  ${action}  ${target}${reason === null ? '' : `  ${reason}`}`,
      );
    }
    if (rows.length === 0) say('The audit trail is empty.');
  });
}

/** `tidegate audit head`: the newest row, to be kept where whoever could change the database cannot change it. */
export async function showHead(flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const head = await readAuditHead(sql);
    if (flags.json) say(JSON.stringify({ head: presentHead(head) }));
    else if (head === null) fail('The audit trail is empty.', 1);
    else say(describeHead(head).replace('Audit row ', ''));
  });
}

/** `tidegate audit openings`: how often the worker and the vault commands opened sealed values, by hour and purpose. */
export async function listOpenings(flags: { limit: number; json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const rows = await listOpenedValues(sql, flags.limit);
    if (flags.json) say(JSON.stringify({ items: rows }));
    else
      for (const { hour, purpose, count } of rows)
        say(`${hour.toISOString().slice(0, 13)}h  ${purpose.padEnd(26)}  ${count}`);
  });
}
