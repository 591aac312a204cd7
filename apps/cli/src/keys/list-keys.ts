import { listApiKeys } from '@tidegate/store';
import { say } from '../output/say.ts';
import { withStore } from './with-store.ts';

/** Lists every key ever made with its state; a key's value is stored nowhere. */
export async function listKeys(flags: { json?: boolean }): Promise<void> {
  await withStore(async (sql) => {
    const keys = await listApiKeys(sql);
    if (flags.json) {
      say(JSON.stringify({ items: keys }));
      return;
    }
    for (const key of keys) {
      const state =
        key.revokedAt !== null ? 'revoked' : key.expiresAt !== null && key.expiresAt < new Date() ? 'expired' : 'live';
      say(
        `${key.id}  ${state.padEnd(7)}  ${key.name}  ${key.scopes.join(',')}${key.services === null ? '' : `  services: ${key.services.join(',')}`}`,
      );
    }
  });
}
