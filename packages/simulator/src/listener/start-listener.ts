import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { SimulatorError } from '../simulator-error.ts';

export type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** One HTTP server on 127.0.0.1 that can go away and come back on the same port. */
export interface Listener {
  readonly port: number;
  /** `http://127.0.0.1:<port>`, no trailing slash. */
  readonly url: string;
  readonly listening: boolean;
  /** The most requests that were open at one time. */
  readonly peakInFlight: number;
  /** Listens again on the same port; does nothing while listening. Throws `port_in_use` when another process took it. */
  start(): Promise<void>;
  /** Stops listening and destroys every connection, so that clients see resets and then refusals. */
  stop(): Promise<void>;
  /** Destroys every open connection and keeps listening. */
  dropConnections(): void;
}

/**
 * Starts an HTTP server for `onRequest` on `port` (0 = any). Throws `SimulatorError` `port_in_use` or `listen_failed`.
 * Idle connections live for 75 s, so a client's pooled socket is not closed under it in the middle of a burst.
 */
export async function startListener(onRequest: RequestHandler, port = 0): Promise<Listener> {
  const load = { inFlight: 0, peak: 0 };
  let boundPort = port;
  let stopping: Promise<void> | null = null;
  const server = createServer({ keepAliveTimeout: 75_000, requestTimeout: 0 }, (request, response) => {
    load.inFlight += 1;
    load.peak = Math.max(load.peak, load.inFlight);
    response.once('close', () => {
      load.inFlight -= 1;
    });
    void onRequest(request, response);
  });
  const dropConnections = trackConnections(server);

  const start = async () => {
    await stopping;
    if (!server.listening) boundPort = await listen(server, boundPort);
  };
  const stop = async () => {
    if (server.listening) {
      stopping = new Promise((resolve) => server.close(() => resolve()));
      dropConnections();
    }
    await stopping;
  };

  await start();
  return {
    get port() {
      return boundPort;
    },
    get url() {
      return `http://127.0.0.1:${boundPort}`;
    },
    get listening() {
      return server.listening;
    },
    get peakInFlight() {
      return load.peak;
    },
    start,
    stop,
    dropConnections,
  };
}

/** Returns the way to destroy every connection that is open at the time. */
function trackConnections(server: Server): () => void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    // A connection accepted in the tick that stopped the server would otherwise keep it from ever closing.
    if (!server.listening) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      const reason = taken ? 'is already in use' : `cannot be listened on (${error.code ?? 'unknown error'})`;
      reject(new SimulatorError(taken ? 'port_in_use' : 'listen_failed', `Port ${port} of 127.0.0.1 ${reason}.`));
    };
    server.once('error', onError);
    server.listen({ port, host: '127.0.0.1', backlog: 1024 }, () => {
      server.off('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
