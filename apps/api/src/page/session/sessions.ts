import { sanitizeName } from '@tidegate/core';
import type { ApiKeyRow } from '@tidegate/store';
import { auditSigner, lookupHash, newPathSecret } from '@tidegate/vault';
import type { ApiContext } from '../../api-context.ts';
import { logHead } from '../../hand/acting-key.ts';

/** A night without looking ends a session, and so does a week of being on call. */
const IDLE_MS = 12 * 3_600_000;
export const LONGEST_MS = 7 * 24 * 3_600_000;

export interface Sessions {
  /** Begins a session of a key; answers the token for the cookie. */
  start(key: ApiKeyRow): Promise<string>;
  /** The key behind a token, or null. @param byPerson false for what a page asks by itself, which keeps no session alive */
  find(token: string, byPerson: boolean): Promise<ApiKeyRow | null>;
  end(token: string): Promise<void>;
}

/**
 * Sessions in Postgres, so that any process of the api knows them; each is looked up anew, so a revoked key ends them at once. The
 * audit trail tells of each beginning and each end by a person.
 */
export function createSessions({ store, keyring, log }: Pick<ApiContext, 'store' | 'keyring' | 'log'>): Sessions {
  const hash = (token: string) => lookupHash(keyring, 'session', token);
  return {
    async start({ id, name }) {
      const token = newPathSecret();
      const session = { lookupHash: hash(token), keyId: id, actor: sanitizeName(name), longestMs: LONGEST_MS };
      const { head } = await store.startSession(session, auditSigner(keyring));
      logHead(log, head);
      return token;
    },
    find: (token, byPerson) => store.findSession({ lookupHash: hash(token), idleMs: IDLE_MS, byPerson }),
    async end(token) {
      const { head } = await store.endSession(hash(token), auditSigner(keyring));
      logHead(log, head);
    },
  };
}
