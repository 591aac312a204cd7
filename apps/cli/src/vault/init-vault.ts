import { join } from 'node:path';
import { readProcessEnv } from '@tidegate/runtime';
import { createKeyring, describeKeyring } from '@tidegate/vault';
import { failFor } from '../output/fail.ts';
import { say } from '../output/say.ts';

/** `tidegate vault init`: makes the keyring of this data folder; where one is, checks it and changes nothing. */
export async function initVault(flags: { json?: boolean }): Promise<void> {
  try {
    const dir = join(readProcessEnv().dataDir, 'keyring');
    const { created } = await createKeyring(dir);
    const { id } = await describeKeyring(dir);
    if (flags.json) {
      say(JSON.stringify({ keyring: id, created, dir }));
      return;
    }
    say(created ? `Made keyring ${id} in ${dir}.` : `Keyring ${id} is in ${dir}, whole and readable.`);
    if (created) say('Back it up now, apart from the database: without it nothing that was sealed can be read.');
  } catch (error) {
    failFor('tidegate', error);
  }
}
