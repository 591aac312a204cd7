import { connect, createServer, type Socket } from 'node:net';

/** A way to a server that can fall silent: connections stay open, and nothing passes. */
export interface HalfOpenProxy {
  readonly port: number;
  /** Nothing passes any more, on connections that are there and on new ones. */
  freeze(): void;
  /** New connections pass; those that are there stay silent for ever, as after a power cut at the other end. */
  abandon(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** Starts a proxy on 127.0.0.1 for a port of this machine; on a port of its own unless given one. */
export async function startHalfOpenProxy(targetPort: number, port = 0): Promise<HalfOpenProxy> {
  const pairs = new Set<Pair>();
  let frozen = false;
  const pass = ({ near, far }: Pair) => {
    near.pipe(far);
    far.pipe(near);
  };
  const hold = ({ near, far }: Pair) => {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.unpipe(to);
      from.pause();
    }
  };
  const server = createServer((near) => {
    const pair = { near, far: connect(targetPort, '127.0.0.1') };
    pairs.add(pair);
    if (frozen) hold(pair);
    else pass(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      pair.far.destroy();
    };
    for (const socket of [near, pair.far]) socket.on('error', () => undefined).once('close', end);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    freeze() {
      frozen = true;
      for (const pair of pairs) hold(pair);
    },
    abandon() {
      frozen = false;
      for (const pair of pairs) hold(pair);
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
