import type { Hono } from 'hono';
import type { ApiEnv } from '../api-context.ts';
import { problem } from './problem.ts';

/**
 * Tells a known path asked with another method from an unknown path.
 * @returns for a path: the 405 with the methods it has, or null when no route has it
 */
export function methodNotAllowed(routes: Hono<ApiEnv>['routes']): (path: string) => Response | null {
  const methodsByRoute = new Map<string, Set<string>>();
  for (const { path, method } of routes) {
    if (method === 'ALL') continue;
    const methods = methodsByRoute.get(path) ?? new Set();
    methods.add(method);
    if (method === 'GET') methods.add('HEAD');
    methodsByRoute.set(path, methods);
  }
  const patterns = [...methodsByRoute].map(([route, methods]) => ({ pattern: patternOf(route), methods }));
  return (path) => {
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).flatMap((route) => [...route.methods]);
    if (methods.length === 0) return null;
    const allow = [...new Set(methods)].sort().join(', ');
    const detail = `This path takes ${allow} only.`;
    return problem({ status: 405, code: 'method_not_allowed', detail }, { allow });
  };
}

/** Routes are ours and of plain letters, so a segment needs no escaping. */
function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll(/:[A-Za-z]+/g, '[^/]+')}$`);
}
