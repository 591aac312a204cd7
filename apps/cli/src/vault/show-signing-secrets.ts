import type { SafeName } from '@tidegate/core';
import { readSigningSecrets, recordAudit } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { presentHead } from '../audit/present-head.ts';
import { fail } from '../output/fail.ts';
import { mayPrintSecret } from '../output/may-print-secret.ts';
import { say } from '../output/say.ts';
import { withVault } from './with-vault.ts';

export interface ShowSigningSecretsFlags {
  readonly destination?: string;
  readonly reason: SafeName;
  readonly yes?: boolean;
  readonly actor?: SafeName;
  readonly json?: boolean;
}

/**
 * `tidegate signing-secrets show SERVICE`: what signs now, newest first. Printed to a terminal, or anywhere with `--yes`, and
 * never without a row in the audit trail.
 */
export async function showSigningSecrets(service: string, flags: ShowSigningSecretsFlags): Promise<void> {
  if (!mayPrintSecret('the secrets', flags.yes)) return;
  await withVault(async ({ sql, keyring, opener, countOpenings }) => {
    const destination = flags.destination ?? null;
    const rows = await readSigningSecrets(sql, service, destination);
    if (rows.length === 0) {
      fail(`${destination ?? service} has no signing secret of its own.`, 1);
      return;
    }
    const secrets = [];
    for (const { serviceId, sealedSecret, createdAt, endsAt } of rows) {
      const opened = await opener.open(sealedSecret, { row: `service-${serviceId}`, purpose: 'signing-secret' });
      secrets.push({ secret: opened.toString('utf8'), createdAt, endsAt });
    }
    // Opened in memory only so far: without its row in the trail it is not shown.
    const head = await recordAudit(sql, auditSigner(keyring), {
      actor: currentActor(flags.actor),
      action: 'signing_secret.show',
      target: service,
      reason: flags.reason,
      facts: { destination, secrets: secrets.length },
    });
    await countOpenings();
    if (flags.json) say(JSON.stringify({ service, destination, secrets, audit: presentHead(head) }));
    else for (const { secret } of secrets) say(secret);
  });
}
