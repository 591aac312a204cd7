import { getRequestListener, type HttpBindings } from '@hono/node-server';
import type { Hono } from 'hono';
import type { RequestHandler } from './start-listener.ts';

export type AppEnv = { Bindings: HttpBindings };

/** Serves a Hono app from a listener, leaving the process's own `Request` and `Response` classes alone. */
export function serveApp(app: Hono<AppEnv>): RequestHandler {
  return getRequestListener((request, env) => app.fetch(request, env as HttpBindings), {
    overrideGlobalObjects: false,
  });
}
