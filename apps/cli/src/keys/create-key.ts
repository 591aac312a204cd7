import { parseDuration } from '@tidegate/runtime';
import { createApiKey } from '@tidegate/store';
import { auditSigner, lookupHash, newApiKey, newId } from '@tidegate/vault';
import { currentActor } from '../audit/current-actor.ts';
import { fail } from '../output/fail.ts';
import { say } from '../output/say.ts';
import { withStore } from './with-store.ts';

const SCOPES = new Set([
  'incidents:read',
  'incidents:write',
  'gate:read',
  'gate:override',
  'callbacks:write',
  'callbacks:review',
  'hosts:report',
  'admin',
]);

export interface CreateKeyFlags {
  readonly name: string;
  readonly scopes: string;
  readonly services?: string;
  readonly expiresIn?: string;
  readonly json?: boolean;
}

/** Makes an API key and prints it: the only time its value is shown. Exit code 2 for flags that make no key. */
export async function createKey(flags: CreateKeyFlags): Promise<void> {
  const scopes = toList(flags.scopes);
  const unknown = scopes.filter((scope) => !SCOPES.has(scope));
  if (scopes.length === 0 || unknown.length > 0) {
    fail(`--scopes takes a list of: ${[...SCOPES].join(', ')}`, 2);
    return;
  }
  const lifeMs = flags.expiresIn === undefined ? null : parseDuration(flags.expiresIn);
  if (flags.expiresIn !== undefined && lifeMs === null) {
    fail('--expires-in takes a duration such as 720h', 2);
    return;
  }
  await withStore(async (sql, keyring) => {
    const key = newApiKey();
    const id = newId('key');
    const row = {
      id,
      name: flags.name,
      lookupHash: lookupHash(keyring, 'api-key', key),
      scopes,
      services: flags.services === undefined ? null : toList(flags.services),
      expiresAt: lifeMs === null ? null : new Date(Date.now() + lifeMs),
    };
    await createApiKey(sql, row, { actor: currentActor(undefined), sign: auditSigner(keyring) });
    if (flags.json) say(JSON.stringify({ id, key, scopes }));
    else say(`${key}\nThis is the only time it is shown. Its id, for \`tidegate keys revoke\`: ${id}`);
  });
}

function toList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
