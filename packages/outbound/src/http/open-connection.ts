import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, rootCertificates } from 'node:tls';
import type { Destination } from '../guard/destination.ts';
import type { Deadline, DeadlineCause } from './deadline.ts';

export type ConnectFailure = 'refused' | 'unreachable' | 'reset' | 'tls' | DeadlineCause;

export type Connection =
  | { readonly ok: true; readonly socket: Socket }
  | { readonly ok: false; readonly reason: ConnectFailure };

interface Route {
  readonly destination: Destination;
  /** Literals that the guard admitted; nothing else is dialled. */
  readonly addresses: readonly string[];
  readonly deadline: Deadline;
  readonly extraCa: string | undefined;
}

/**
 * Opens a connection to one of the admitted addresses, in order, and completes TLS for https. No byte of a request is
 * written here, so every failure means that nothing was sent.
 */
export async function openConnection(route: Route): Promise<Connection> {
  let last: Connection = { ok: false, reason: 'unreachable' };
  for (const [index, address] of route.addresses.entries()) {
    // Each address left gets an equal share of the time, so one black hole cannot use it all.
    const shareMs = route.deadline.remainingMs() / (route.addresses.length - index);
    const socket = connectTcp({ host: address, port: route.destination.port, noDelay: true });
    last = await ready(socket, 'connect', { deadline: route.deadline, limitMs: shareMs, explain: explainTcp });
    if (last.ok) return route.destination.secure ? secure(last.socket, route) : last;
    if (route.deadline.cause() !== null) return last;
  }
  return last;
}

async function secure(raw: Socket, { destination, deadline, extraCa }: Route): Promise<Connection> {
  const socket = connectTls({
    socket: raw,
    host: destination.hostname,
    ALPNProtocols: ['http/1.1'],
    ...(isIP(destination.hostname) === 0 ? { servername: destination.hostname } : {}),
    ...(extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] }),
  });
  const limits = { deadline, limitMs: deadline.remainingMs(), explain: (): ConnectFailure => 'tls' };
  return ready(socket, 'secureConnect', limits);
}

interface Limits {
  readonly deadline: Deadline;
  readonly limitMs: number;
  readonly explain: (error: NodeJS.ErrnoException) => ConnectFailure;
}

/** Waits for the event that makes a socket usable; a socket that is not handed back is destroyed. */
function ready(socket: Socket, event: 'connect' | 'secureConnect', limits: Limits): Promise<Connection> {
  return new Promise((resolve) => {
    let settled = false;
    const settle = (connection: Connection) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      if (!connection.ok) socket.destroy();
      resolve(connection);
    };
    const fail = (reason: ConnectFailure) => settle({ ok: false, reason });
    const timer = setTimeout(() => fail('timeout'), limits.limitMs);
    socket.once(event, () => settle({ ok: true, socket }));
    // Stays on for life: an error of a socket that nobody watches would end the process.
    socket.on('error', (error) => fail(limits.explain(error)));
    socket.once('close', () => fail(event === 'connect' ? 'reset' : 'tls'));
    void limits.deadline.hit.then(fail);
  });
}

function explainTcp(error: NodeJS.ErrnoException): ConnectFailure {
  if (error.code === 'ECONNREFUSED') return 'refused';
  if (error.code === 'ECONNRESET') return 'reset';
  return error.code === 'ETIMEDOUT' ? 'timeout' : 'unreachable';
}
