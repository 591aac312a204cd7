import type { AuditEntry, SafeName, SignAudit } from '@tidegate/core';
import { appendAudit } from '../audit/append-audit.ts';
import type { Sql } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';

export interface NewApiKey {
  readonly id: string;
  readonly name: string;
  readonly lookupHash: Buffer;
  readonly scopes: readonly string[];
  readonly services: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** Who makes or revokes a key, for the audit trail. */
export interface KeyActor {
  readonly actor: SafeName;
  readonly sign: SignAudit;
}

/**
 * Registers a key by its keyed hash; the key itself is never stored. Registering the same key again changes nothing.
 * @param by the person who makes it; absent for the admin key of a first start
 */
export async function createApiKey(sql: Sql, key: NewApiKey, by?: KeyActor): Promise<void> {
  await inTransaction(sql, async (tx) => {
    await tx`
      insert into api_key (id, name, lookup_hash, scopes, services, expires_at)
      values (${key.id}, ${key.name}, ${key.lookupHash}, ${[...key.scopes]}::text[], ${key.services === null ? null : [...key.services]}::text[],
              ${key.expiresAt})
      on conflict (lookup_hash) do nothing`;
    if (by !== undefined) await appendAudit(tx, toEntry(key, by.actor), by.sign);
  });
}

function toEntry({ id, name, scopes, services, expiresAt }: NewApiKey, actor: SafeName): AuditEntry {
  const facts = {
    name,
    scopes: scopes.join(),
    services: services?.join() ?? null,
    until: expiresAt?.toISOString() ?? null,
  };
  return { actor, action: 'key.create', target: id, reason: null, facts };
}
