import type { AuditHead, ChainFlaw } from '@tidegate/core';
import { auditSigner } from '@tidegate/vault';
import { withStore } from '../keys/with-store.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { checkTrail } from './check-trail.ts';
import { presentHead } from './present-head.ts';

const FLAWS: Record<ChainFlaw, (seq: number) => string> = {
  changed: (seq) => `Row ${seq} is not as it was written, or stands in the place of another.`,
  missing: (seq) => `Row ${seq} is missing, and rows after it are not.`,
  cut: (seq) => `The rows from ${seq} on are missing: the trail ends before the head that was given.`,
  other_head: (seq) => `Row ${seq} is not the row that the head was taken from: the trail was written anew.`,
};

/** `tidegate audit verify`: whether every row is as it was written. Exit code 1 when one is not. */
export async function verifyAudit(flags: { head?: AuditHead; json?: boolean }): Promise<void> {
  await withStore(async (sql, keyring) => {
    const check = await checkTrail(sql, auditSigner(keyring), flags.head ?? null);
    if (check.kind === 'broken') {
      const { seq, flaw } = check;
      if (flags.json) say(JSON.stringify({ intact: false, seq, flaw }));
      fail(FLAWS[flaw](seq), 1);
      return;
    }
    const rows = check.head?.seq ?? 0;
    if (flags.json) say(JSON.stringify({ intact: true, rows, head: presentHead(check.head) }));
    else {
      say(`${rows} row(s), each as it was written.`);
      if (flags.head === undefined)
        say('Give a head from the log (--head SEQ:MAC) to see whether rows were cut off at the end.');
    }
  });
}
