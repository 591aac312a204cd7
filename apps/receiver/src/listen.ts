import type { ServerType } from '@hono/node-server';

/** Listens, or rejects as `server.listen` fails: a port in use is one clear sentence at start-up, not a crash later. */
export function listen(server: ServerType, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
