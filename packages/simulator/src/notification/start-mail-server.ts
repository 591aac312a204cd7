import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { SimulatorError } from '../simulator-error.ts';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as they came. */
  readonly raw: string;
  readonly secure: boolean;
  readonly user: string | null;
}

export interface MailServerOptions {
  /** PEM; without them no TLS is offered. */
  readonly key?: string;
  readonly cert?: string;
  /** TLS from the first byte rather than by STARTTLS. */
  readonly implicitTls?: boolean;
  /** The one that may log in; without it nobody is asked to. */
  readonly login?: { readonly user: string; readonly password: string };
  /** An address that has no mailbox here. */
  readonly unknown?: string;
}

/** A mail server on 127.0.0.1 that keeps what it receives. */
export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** The next mail is refused with this reply code, such as 451 or 554. */
  refuseNext(code: number): void;
  /** The next mail is taken and never answered. */
  hangNext(): void;
  close(): Promise<void>;
}

/** Starts one. Mails go nowhere. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const { key, cert, implicitTls = false, login, unknown } = options;
  const mails: ReceivedMail[] = [];
  const faults: (number | 'hang')[] = [];
  const server = new SMTPServer({
    ...(key === undefined || cert === undefined ? { hideSTARTTLS: true } : { key, cert }),
    secure: implicitTls,
    authOptional: login === undefined,
    allowInsecureAuth: false,
    logger: false,
    onAuth({ username, password }, _session, callback) {
      if (username === login?.user && password === login?.password) callback(null, { user: username });
      else callback(replyWith(535, 'Invalid username or password'));
    },
    onRcptTo({ address }, _session, callback) {
      callback(address === unknown ? replyWith(550, 'No such mailbox') : null);
    },
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const fault = faults.shift();
        if (fault === 'hang') return;
        if (fault !== undefined) return callback(replyWith(fault, 'Not now'));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          secure: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
        });
        callback();
      });
    },
  });
  // A client that goes away in the middle is what some tests are about.
  server.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    server.listen(0, '127.0.0.1', resolve);
    server.server.once('error', () => reject(new SimulatorError('listen_failed', 'The mail server could not listen.')));
  });
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    refuseNext: (code) => faults.push(code),
    hangNext: () => faults.push('hang'),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function replyWith(responseCode: number, message: string): Error {
  return Object.assign(new Error(message), { responseCode });
}
