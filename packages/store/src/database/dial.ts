import { isIP, Socket } from 'node:net';

/** No statement of ours leaves the server silent for so long: a connection that is has lost its other end. */
const SILENCE_MS = 20_000;

/** The part of postgres.js' own options that says where to connect; several hosts are tried in turn. */
export interface DialOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false;
}

/**
 * Opens the connections of one pool, each of which ends itself after a silence of 20 s. Without that, a query on a connection
 * whose other end vanished would wait until TCP gives up, for a quarter of an hour, and hold its place in the pool. One that
 * is accepted and closed before it brought a byte, as by a proxy whose server is away, fails as if it had been refused:
 * postgres.js would try again for ever, at once, and tell nobody.
 */
export function createDial(silenceMs = SILENCE_MS): (options: DialOptions) => Socket {
  let turn = 0;
  return ({ host, port, path }) => {
    const socket = new WatchedSocket();
    socket.setTimeout(silenceMs);
    if (path) return socket.connect(path);
    const index = turn % port.length;
    turn += 1;
    // Read by postgres.js for the name that a TLS certificate must bear.
    Object.assign(socket, { host: host[index] });
    return socket.connect({ host: host[index] ?? '', port: port[index] ?? 0, family: isIP(host[index] ?? '') });
  };
}

/** An override and not a listener: postgres.js takes all listeners off a socket before it wraps it in TLS. */
class WatchedSocket extends Socket {
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    // Without an error: an idle connection that is closed must not count as a failure, after which connecting is put off.
    if (event === 'timeout') this.destroy();
    // Only what the other end closed unasked.
    if (event === 'end' && this.bytesRead === 0 && !this.writableEnded) this.destroy(closedAtOnce());
    return super.emit(event, ...args);
  }
}

function closedAtOnce(): Error {
  return Object.assign(new Error('the other end closed the connection before it said anything'), {
    code: 'ECONNRESET',
  });
}
