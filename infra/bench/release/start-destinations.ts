import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a destination saw it. */
interface Arrival {
  readonly key: string;
  readonly atMs: number;
}

/** Destinations that take everything, each an origin of its own, with one log of what arrived. */
export interface Destinations {
  readonly urls: readonly string[];
  readonly arrivals: readonly Arrival[];
  close(): Promise<void>;
}

/** Starts `count` destinations on 127.0.0.1, each on a port of its own. They read the whole body before they log and answer. */
export async function startDestinations(count: number): Promise<Destinations> {
  const arrivals: Arrival[] = [];
  const servers: Server[] = [];
  for (let index = 0; index < count; index += 1) {
    const server = createServer((request, response) => {
      request.resume().once('end', () => {
        arrivals.push({ key: String(request.headers['idempotency-key']), atMs: Date.now() });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
  }
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    arrivals,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
