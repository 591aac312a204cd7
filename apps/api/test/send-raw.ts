import net from 'node:net';

/** What came back over one socket, until the server hung up. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends text as it is, so that it need not be a request at all, and reads until the server ends the connection. */
export function sendRaw(port: number, text: string): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', ...body] = received.split('\r\n\r\n');
      const [first = '', ...lines] = head.split('\r\n');
      const pairs = lines.map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 2),
      ]);
      resolve({ status: Number(first.split(' ')[1]), headers: Object.fromEntries(pairs), body: body.join('\r\n\r\n') });
    });
  });
}
