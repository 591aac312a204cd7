import type { SafeName } from '@tidegate/core';
import { readQuarantined, recordAudit } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { presentHead } from '../audit/present-head.ts';
import { fail } from '../output/fail.ts';
import { mayPrintSecret } from '../output/may-print-secret.ts';
import { say } from '../output/say.ts';
import { withVault } from './with-vault.ts';

export interface ShowFlags {
  readonly reason: SafeName;
  readonly yes?: boolean;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

/**
 * `tidegate quarantine show ID`: a body as it was sent, as JSON text, so that no byte of it can steer a terminal. Printed to a
 * terminal, or anywhere with `--yes`, and never without a row in the audit trail: it may hold a token.
 */
export async function showQuarantined(id: string, flags: ShowFlags): Promise<void> {
  if (!mayPrintSecret('the body', flags.yes)) return;
  await withVault(async ({ sql, keyring, opener, countOpenings }) => {
    const row = await readQuarantined(sql, id);
    if (row === null) {
      fail('Nothing in quarantine has this id.', 1);
      return;
    }
    const { source, field, problem, bytes } = row;
    const body = await opener.open(row.sealedBody, { row: row.id, purpose: 'quarantined-body' });
    // Opened in memory only so far: without its row in the trail it is not shown.
    const head = await recordAudit(sql, auditSigner(keyring), {
      actor: currentActor(flags.actor),
      action: 'quarantine.show',
      target: row.id,
      reason: flags.reason,
      facts: { source, field, problem, bytes },
    });
    await countOpenings();
    const text = toPrintable(body);
    say(
      flags.json ? JSON.stringify({ id: row.id, source, field, problem, body: text, audit: presentHead(head) }) : text,
    );
  });
}

/** What a terminal would obey or hide is spelled out; bytes that are no UTF-8 become U+FFFD. */
function toPrintable(body: Buffer): string {
  return body.toString('utf8').replace(/[^\P{C}\n\t]/gu, (found) => `\\u{${(found.codePointAt(0) ?? 0).toString(16)}}`);
}
