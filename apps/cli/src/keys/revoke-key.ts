import { revokeApiKey } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { withStore } from './with-store.ts';

/** Revokes a key by its id. Exit code 1 when no live key has it. */
export async function revokeKey(id: string, flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql, keyring) => {
    const by = { actor: currentActor(undefined), sign: auditSigner(keyring) };
    if (!(await revokeApiKey(sql, id, by))) {
      fail('No live key has this id.', 1);
      return;
    }
    say(flags.json ? JSON.stringify({ id, revoked: true }) : `Revoked ${id}.`);
  });
}
