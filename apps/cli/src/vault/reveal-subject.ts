import type { SafeName } from '@tidegate/core';
import { findStoredSubject, recordAudit } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { presentHead } from '../audit/present-head.ts';
import { fail } from '../output/fail.ts';
import { mayPrintSecret } from '../output/may-print-secret.ts';
import { say } from '../output/say.ts';
import { openSubjectId } from './open-subject-id.ts';
import { withVault } from './with-vault.ts';

export interface RevealFlags {
  readonly reason: SafeName;
  readonly yes?: boolean;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

/**
 * `tidegate vault reveal ALIAS`: the id of a device or tunnel as Localtonet knows it; a device's is a credential. Printed to
 * a terminal, or anywhere with `--yes`, and never without a row in the audit trail.
 */
export async function revealSubject(alias: string, flags: RevealFlags): Promise<void> {
  if (!mayPrintSecret('the id', flags.yes)) return;
  await withVault(async (vault) => {
    const { sql, keyring, countOpenings } = vault;
    const subject = await findStoredSubject(sql, alias);
    if (subject === null) {
      fail('There is no device or tunnel of this alias.', 1);
      return;
    }
    if (subject.standIn) {
      fail('This alias stands for a service whose device nobody has told us of yet: there is no id to show.', 1);
      return;
    }
    const { type, name } = subject;
    // What was opened is counted, also when it is not believed and nothing is shown.
    const id = await openSubjectId(vault, subject).catch(async (error: unknown) => {
      await countOpenings();
      throw error;
    });
    // Opened in memory only so far: without its row in the trail it is not shown.
    const head = await recordAudit(sql, auditSigner(keyring), {
      actor: currentActor(flags.actor),
      action: 'vault.reveal',
      target: subject.alias,
      reason: flags.reason,
      facts: { type },
    });
    await countOpenings();
    say(flags.json ? JSON.stringify({ alias: subject.alias, type, name, id, audit: presentHead(head) }) : id);
  });
}
