import { type AuditHead, type SafeName, sanitizeName } from '@tidegate/core';
import type { Log } from '@tidegate/runtime';
import type { Context } from 'hono';
import type { ApiEnv } from '../api-context.ts';

/** Who acts through the api, as the audit trail and the timeline name them. */
export interface Actor {
  readonly actor: SafeName;
  readonly keyId: string;
}

/** The actor of a request is the name of its API key: give each person their own key. */
export function actorOf(c: Context<ApiEnv>): Actor {
  const { id, name } = c.get('key');
  const safe = sanitizeName(name);
  return { actor: safe === '' ? sanitizeName(id) : safe, keyId: id };
}

/** Writes the head of the audit trail to the log, where whoever can change the database cannot change it. */
export function logHead(log: Log, head: AuditHead | null): void {
  if (head !== null) log.info('audit.head', { seq: head.seq, mac: `mac_${Buffer.from(head.mac).toString('hex')}` });
}
