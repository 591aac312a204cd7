import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A collector of OTLP traces that takes everything and remembers the bodies. */
export interface Collector {
  readonly url: string;
  readonly port: number;
  /** All bodies so far, one per line. */
  text(): string;
  /** The `authorization` headers it was sent. */
  readonly keys: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Starts one on a free loopback port. */
export async function startCollector(): Promise<Collector> {
  const bodies: string[] = [];
  const keys = new Set<string>();
  const server = createServer((request, response) => {
    keys.add(request.headers.authorization ?? '');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString('utf8'));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    port,
    text: () => bodies.join('\n'),
    keys,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
