import type { SafeName } from '@tidegate/core';
import { recordAudit } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { rotateKeyring } from '@tidegate/vault/open';
import { currentActor } from '../audit/current-actor.ts';
import { describeHead, presentHead } from '../audit/present-head.ts';
import { say } from '../output/say.ts';
import { withVault } from './with-vault.ts';

export interface RotateFlags {
  readonly reason: SafeName;
  readonly only?: 'fingerprint' | 'sealing';
  readonly actor?: SafeName;
  readonly json?: boolean;
}

/**
 * `tidegate vault rotate`: a new fingerprint key and a new sealing pair for all new work. Running processes pick them up
 * within seconds; old keys stay live until they are retired.
 */
export async function rotateVault(flags: RotateFlags): Promise<void> {
  await withVault(async ({ sql, dir, keyring }) => {
    const keys = { fingerprint: flags.only !== 'sealing', sealing: flags.only !== 'fingerprint' };
    // Told before it is done: a rotation must not be possible without a trace.
    const head = await recordAudit(sql, auditSigner(keyring), {
      actor: currentActor(flags.actor),
      action: 'vault.rotate',
      target: keyring.id,
      reason: flags.reason,
      facts: { ...keys, fingerprintVersion: keyring.fingerprint.current, recipient: keyring.recipient.id },
    });
    const rotated = await rotateKeyring(dir, keys);
    if (flags.json) {
      say(JSON.stringify({ keyring: keyring.id, ...rotated, audit: presentHead(head) }));
      return;
    }
    say(
      `New work uses fingerprint key ${rotated.fingerprintVersion} and sealing key ${rotated.recipientKeyId} from now on.`,
    );
    say(describeHead(head));
    say(`Back up ${dir} again. On several machines, copy its files to each (the private key only to the worker's).`);
    say('Then: tidegate vault rewrap');
  });
}
