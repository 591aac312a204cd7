import type { Scope } from '@tidegate/client';
import type { Context } from 'hono';
import type { ApiEnv } from '../../api-context.ts';

/** Who looks at a page, and what their key allows. */
export interface Viewer {
  readonly name: string;
  readonly services: readonly string[] | null;
  /** Whether the key has one of the scopes; `admin` has all. */
  may(...scopes: readonly Scope[]): boolean;
}

export function viewerOf(c: Context<ApiEnv>): Viewer {
  const scopes = new Set(c.get('scopes'));
  return {
    name: c.get('key').name,
    services: c.get('services'),
    may: (...wanted) => scopes.has('admin') || wanted.some((scope) => scopes.has(scope)),
  };
}
