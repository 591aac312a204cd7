import type { ApiKeyRow } from '@tidegate/store';
import { type Keyring, lookupHash, newPathSecret } from '@tidegate/vault';
import type { ApiStore } from '../../store/bind-store.ts';

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

/** Sessions in Postgres, so that any process of the api knows them; each is looked up anew, so a revoked key ends them at once. */
export function createSessions(store: ApiStore, keyring: Keyring): Sessions {
  const hash = (token: string) => lookupHash(keyring, 'session', token);
  return {
    async start({ id }) {
      const token = newPathSecret();
      await store.startSession({ lookupHash: hash(token), keyId: id, longestMs: LONGEST_MS });
      return token;
    },
    find: (token, byPerson) => store.findSession({ lookupHash: hash(token), idleMs: IDLE_MS, byPerson }),
    end: (token) => store.endSession(hash(token)),
  };
}
