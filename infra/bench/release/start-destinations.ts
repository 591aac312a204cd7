import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a destination saw it. */
interface Arrival {
  readonly key: string;
  /** Of its `webhook-id`: the id of the callback. */
  readonly callback: string;
  readonly atMs: number;
}

/** Destinations that take everything, each an origin of its own, with one log of what arrived and what it brought about. */
export interface Destinations {
  readonly urls: readonly string[];
  readonly arrivals: readonly Arrival[];
  /** Effects per key. Every other destination, from the first on, deduplicates; the rest let each request take effect. */
  readonly effects: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/** Starts `count` destinations on 127.0.0.1, each on a port of its own. They read the whole body before they log and answer. */
export async function startDestinations(count: number): Promise<Destinations> {
  const arrivals: Arrival[] = [];
  const effects = new Map<string, number>();
  const servers: Server[] = [];
  for (let index = 0; index < count; index += 1) {
    const server = createServer((request, response) => {
      request.resume().once('end', () => {
        const key = String(request.headers['idempotency-key']);
        arrivals.push({ key, callback: String(request.headers['webhook-id']), atMs: Date.now() });
        const before = effects.get(key) ?? 0;
        if (before === 0 || index % 2 === 1) effects.set(key, before + 1);
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    servers.push(server);
  }
  return {
    urls: servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    arrivals,
    effects,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
