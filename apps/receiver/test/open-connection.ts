import { connect } from 'node:net';

/** One answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Status line and headers, without the date. */
  readonly head: string;
  readonly body: string;
}

export interface RawConnection {
  /** Sends text as it is, so that it need not be a request at all. */
  send(text: string | Buffer): void;
  /** The next whole answer; rejects when the server hangs up before it is whole, or says nothing for five seconds. */
  answer(): Promise<RawAnswer>;
  /** Hangs up without a word. */
  abort(): void;
  /** Resolves when the server has hung up. */
  readonly closed: Promise<void>;
}

const SILENCE_MS = 5000;

/** A bare connection to a server under test: what an HTTP client would refuse to send can be sent. */
export async function openConnection(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  let wake: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.setTimeout(SILENCE_MS, () => socket.destroy());
  // The server may reset a connection it refused; what it answered before counts.
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    received += chunk.toString('latin1');
    wake();
  });
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    send: (text) => void socket.write(text),
    async answer() {
      for (;;) {
        const taken = takeAnswer(received);
        if (taken !== null) {
          received = taken.rest;
          return taken.answer;
        }
        if (socket.destroyed) throw new Error(`the server hung up after ${JSON.stringify(received.slice(0, 200))}`);
        await Promise.race([closed, new Promise<void>((resolve) => (wake = resolve))]);
      }
    },
    abort: () => void socket.resetAndDestroy(),
    closed,
  };
}

function takeAnswer(received: string): { answer: RawAnswer; rest: string } | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const lines = received.slice(0, headEnd).split('\r\n');
  const lengthOf = lines.find((line) => /^content-length:/i.test(line))?.split(':')[1];
  const bodyEnd = headEnd + 4 + Number(lengthOf ?? 0);
  if (received.length < bodyEnd) return null;
  const answer = {
    status: Number(lines[0]?.split(' ')[1]),
    head: lines.filter((line) => !/^date:/i.test(line)).join('\n'),
    body: Buffer.from(received.slice(headEnd + 4, bodyEnd), 'latin1').toString('utf8'),
  };
  return { answer, rest: received.slice(bodyEnd) };
}

/** The text of a POST with a JSON body of a known length; headers given win over the usual ones. */
export function post(path: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): Buffer {
  const all = {
    Host: 'hooks.example.org',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), Buffer.from(body)]);
}
