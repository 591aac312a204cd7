import net from 'node:net';

export interface Relay {
  /** The target's URL through the relay. */
  readonly url: string;
  /** Refuses everybody, as a server that is down does. */
  cut(): Promise<void>;
  /** Keeps every connection open and passes nothing on, as a server that hangs does. */
  freeze(): void;
  /** Works again: on the same port, for old connections too after a freeze. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** A TCP relay in front of a database that can be cut or frozen. */
export async function startRelay(target: string): Promise<Relay> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<net.Socket>();
  let server = await listen(0);
  const ownPort = (server.address() as net.AddressInfo).port;
  let frozen = false;

  function listen(onPort: number): Promise<net.Server> {
    const created = net.createServer((inbound) => {
      const outbound = net.connect(Number(port), hostname);
      for (const [from, to] of [
        [inbound, outbound],
        [outbound, inbound],
      ] as const) {
        sockets.add(from);
        from.on('error', () => undefined);
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
        from.on('data', (chunk) => to.write(chunk));
        if (frozen) from.pause();
      }
    });
    return new Promise((resolve) => created.listen(onPort, '127.0.0.1', () => resolve(created)));
  }

  function cut(): Promise<void> {
    return new Promise((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  }

  return {
    url: Object.assign(new URL(target), { hostname: '127.0.0.1', port: String(ownPort) }).href,
    cut,
    close: cut,
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    async restore() {
      frozen = false;
      for (const socket of sockets) socket.resume();
      if (!server.listening) server = await listen(ownPort);
    },
  };
}
