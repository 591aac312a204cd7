import type { Context } from 'hono';
import type { ApiEnv } from '../api-context.ts';
import type { KeyFinder } from './key-finder.ts';
import { parseBearerKey } from './parse-bearer-key.ts';

/** Asks anew whether the key that a request came with is neither revoked nor expired. Scopes and services of a key never change. */
export function stillLives(keys: KeyFinder, c: Context<ApiEnv>): () => Promise<boolean> {
  const key = parseBearerKey(c.req.header('authorization'));
  return async () => key !== null && (await keys.find(key)) !== null;
}
