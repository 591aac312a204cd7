import type { ServerType } from '@hono/node-server';

/**
 * Lets requests under way be answered and then ends every connection: a proxy that keeps its connections busy would hold the
 * process for ever. What is not answered after `drainMs` is cut off; nothing was promised to it.
 */
export function watchForClose(server: ServerType): (drainMs: number) => Promise<void> {
  let closing = false;
  // Before the app's own listener, which sends the headers.
  server.prependListener('request', (_request: unknown, response: { setHeader(name: string, value: string): void }) => {
    if (closing) response.setHeader('connection', 'close');
  });
  return async (drainMs) => {
    closing = true;
    const closed = new Promise<void>((resolve) => {
      server.close(() => resolve());
    });
    if ('closeIdleConnections' in server) server.closeIdleConnections();
    const cut = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), drainMs);
    await closed;
    clearTimeout(cut);
  };
}
