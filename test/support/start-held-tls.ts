import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** An https destination whose handshakes wait: a sender stands connected, and has not written a byte of its request. */
export interface HeldTls {
  readonly url: string;
  /** Idempotency keys of the requests that arrived, in their order. */
  readonly requests: readonly string[];
  /** Connections that were opened to it, ever. */
  readonly connections: () => number;
  /** How many of them are still open. */
  readonly open: () => number;
  /** Lets the handshakes that wait go on, and every later one. */
  release(): void;
  close(): Promise<void>;
}

/** Starts one on 127.0.0.1 under a certificate for `localhost` that its senders have to trust. It answers every request with 200. */
export async function startHeldTls(certificate: { readonly key: string; readonly cert: string }): Promise<HeldTls> {
  const requests: string[] = [];
  const server = createHttpsServer(certificate, (request, response) => {
    requests.push(String(request.headers['idempotency-key']));
    request.resume().once('end', () => response.end());
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const target = (server.address() as AddressInfo).port;
  const near = new Set<Socket>();
  const waiting: (() => void)[] = [];
  let released = false;
  let connections = 0;
  const door = createServer((socket) => {
    connections += 1;
    near.add(socket.pause());
    const pass = () => {
      const far = connect(target, '127.0.0.1');
      socket.pipe(far).pipe(socket);
      far.on('error', () => socket.destroy());
      socket.once('close', () => far.destroy());
    };
    // A paused socket does not hear its end, but an error or the end of what it is piped to.
    socket.on('error', () => socket.destroy()).once('close', () => near.delete(socket));
    if (released) pass();
    else waiting.push(pass);
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://localhost:${(door.address() as AddressInfo).port}`,
    requests,
    connections: () => connections,
    open: () => near.size,
    release() {
      released = true;
      for (const pass of waiting.splice(0)) pass();
    },
    async close() {
      for (const socket of near) socket.destroy();
      server.closeAllConnections();
      await Promise.all([door, server].map((one) => new Promise((resolve) => one.close(resolve))));
    },
  };
}
