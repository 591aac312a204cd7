import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface WatchedConnections {
  /**
   * Takes no new connection, hangs up on those without a request, lets the others answer for `timeoutMs` at most, then
   * cuts what is left.
   */
  close(timeoutMs: number): Promise<void>;
}

/** Watches a server's connections, so that it can end without waiting for those that only stay open. */
export function watchConnections(server: Server): WatchedConnections {
  const answering = new Map<Socket, Set<ServerResponse>>();
  let closing = false;

  server.on('connection', (socket: Socket) => {
    answering.set(socket, new Set());
    socket.once('close', () => answering.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const responses = answering.get(socket);
    responses?.add(response);
    if (closing) response.setHeader('connection', 'close');
    response.once('close', () => {
      responses?.delete(response);
      if (closing && responses?.size === 0) socket.end();
    });
  });

  return {
    async close(timeoutMs) {
      closing = true;
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      for (const [socket, responses] of answering) {
        if (responses.size === 0) socket.destroy();
        for (const response of responses) if (!response.headersSent) response.setHeader('connection', 'close');
      }
      const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
      await closed;
      clearTimeout(cut);
    },
  };
}
