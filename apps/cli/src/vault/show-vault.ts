import { join } from 'node:path';
import { claimKeyring, countDataKeys, countFingerprints } from '@tidegate/store';
import { describeKeyring } from '@tidegate/vault';
import { withStore } from '../keys/with-store.ts';
import { say } from '../output/say.ts';

/** `tidegate vault status`: which keys there are, and what of the store still needs an old one. Shows ids and numbers only. */
export async function showVault(flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql, keyring, env) => {
    await claimKeyring(sql, keyring.id);
    const described = await describeKeyring(join(env.dataDir, 'keyring'));
    const fingerprints = await countFingerprints(sql, described.fingerprint.current);
    const dataKeys = await countDataKeys(sql);
    const stale = dataKeys.filter(({ recipientKeyId }) => recipientKeyId !== described.sealing.current);
    const toRewrap = { subjects: fingerprints.stale, dataKeys: stale.reduce((sum, { count }) => sum + count, 0) };
    if (flags.json) {
      say(
        JSON.stringify({
          ...described,
          subjects: fingerprints.subjects,
          fingerprints: fingerprints.byVersion,
          dataKeys,
          toRewrap,
        }),
      );
      return;
    }
    const { id, fingerprint, sealing, changedAt } = described;
    say(`keyring      ${id}, last changed ${changedAt.toISOString()}`);
    say(`fingerprint  current ${fingerprint.current}, live ${fingerprint.versions.join(', ')}`);
    say(`sealing      current ${sealing.current}, live ${sealing.keys.join(', ')}`);
    say(`subjects     ${fingerprints.subjects}, of which ${toRewrap.subjects} lack the current fingerprint`);
    say(`data keys    ${toRewrap.dataKeys} are wrapped to an old sealing key`);
    const old = fingerprint.versions.length > 1 || sealing.keys.length > 1;
    if (toRewrap.subjects + toRewrap.dataKeys > 0) say('Next: tidegate vault rewrap');
    else if (old) say('Next: tidegate vault rewrap --retire, once every machine has the new key files.');
  });
}
