import type { SafeName } from '@tidegate/core';
import { createApiKey, listServices, type Sql } from '@tidegate/store';
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
  readonly name: SafeName;
  readonly scopes: string;
  readonly services?: readonly string[];
  /** Milliseconds. */
  readonly expiresIn?: number;
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
  const { name, services = null, expiresIn: lifeMs = null } = flags;
  await withStore(async (sql, keyring) => {
    const [missing] = await findMissing(sql, services ?? []);
    if (missing !== undefined) {
      fail(`There is no service ${missing}: correct --services, or name it in the config and start Tidegate first.`, 1);
      return;
    }
    const key = newApiKey();
    const id = newId('key');
    const row = {
      id,
      name,
      lookupHash: lookupHash(keyring, 'api-key', key),
      scopes,
      services,
      expiresAt: lifeMs === null ? null : new Date(Date.now() + lifeMs),
    };
    await createApiKey(sql, row, { actor: currentActor(undefined), sign: auditSigner(keyring) });
    if (flags.json) say(JSON.stringify({ id, key, scopes }));
    else say(`${key}\nThis is the only time it is shown. Its id, for \`tidegate keys revoke\`: ${id}`);
  });
}

/** A key for a misspelt service would be refused wherever it is used, and nobody would know why. */
async function findMissing(sql: Sql, services: readonly string[]): Promise<string[]> {
  const there = await listServices(sql, { source: null, services, cursor: null, limit: services.length });
  const names = new Set(there.items.map((service) => service.name));
  return services.filter((service) => !names.has(service));
}

function toList(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
