import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import type { Destination } from '../guard/destination.ts';
import type { Deadline, DeadlineCause } from './deadline.ts';
import type { HeaderList } from './headers.ts';
import { skipInterim } from './skip-interim.ts';

/** Why the peer's side of a conversation ended early. */
export type Interruption = 'reset' | 'malformed' | DeadlineCause;

export type Conversation =
  | { readonly kind: 'not_sent'; readonly reason: Interruption | 'invalid_request' | 'lease_expired' }
  | { readonly kind: 'unanswered'; readonly reason: Interruption }
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
      /** `cut`: the body was longer than the caller reads. */
      readonly ending: 'complete' | 'cut' | Interruption;
    };

export interface Message {
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: Buffer | null;
  /** Bytes of the answer's body that are kept; the connection is dropped beyond. */
  readonly maxBodyBytes: number;
  /** Asked in the same tick as, and just before, the first byte is written; false sends nothing. */
  readonly mayWrite: () => boolean;
}

interface Progress {
  sent: boolean;
  status: number | null;
  headers: IncomingHttpHeaders;
  chunks: Buffer[];
  size: number;
}

/**
 * Speaks one HTTP/1.1 request over a connection that is already open, then closes it. `kind` is the truth about the
 * request: `not_sent` when no byte was written, `unanswered` when some may have arrived. Never rejects.
 */
export function converse(
  socket: Socket,
  destination: Destination,
  message: Message,
  deadline: Deadline,
): Promise<Conversation> {
  skipInterim(socket);
  const client = clientOver(socket, destination.origin);
  const progress: Progress = { sent: false, status: null, headers: {}, chunks: [], size: 0 };
  return new Promise((resolve) => {
    let over = false;
    const finish = (conversation: Conversation) => {
      if (over) return;
      over = true;
      // A microtask later: undici's parser may be on the stack, and destroying it there is not safe.
      queueMicrotask(() => void closeAll(client, socket).then(() => resolve(conversation)));
    };
    void deadline.hit.then((cause) => finish(interrupted(progress, cause)));
    const { method, headers, body } = message;
    const request = { path: destination.target, method, headers: { ...headers }, body };
    client.dispatch(request, createListener({ socket, message, deadline, progress, finish }));
  });
}

interface Listening {
  readonly socket: Socket;
  readonly message: Message;
  readonly deadline: Deadline;
  readonly progress: Progress;
  readonly finish: (conversation: Conversation) => void;
}

function createListener({ socket, message, deadline, progress, finish }: Listening): Dispatcher.DispatchHandler {
  return {
    // undici writes the head in the same tick once this returns without an abort.
    onRequestStart(controller) {
      const obstacle = deadline.cause() ?? (message.mayWrite() ? null : 'lease_expired');
      progress.sent = obstacle === null;
      if (obstacle === null) return;
      finish({ kind: 'not_sent', reason: obstacle });
      controller.abort(new Error(obstacle));
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200) return;
      progress.status = status;
      progress.headers = headers;
    },
    onResponseData(_controller, chunk) {
      const room = message.maxBodyBytes - progress.size;
      // A copy: the parser reuses its memory.
      if (room > 0) progress.chunks.push(Buffer.from(chunk.subarray(0, room)));
      progress.size += chunk.length;
      if (progress.size > message.maxBodyBytes) finish(conclude(progress, 'cut'));
    },
    onResponseEnd: () => finish(conclude(progress, 'complete')),
    onResponseError: (_controller, error) => finish(explain(error, progress, socket)),
  };
}

function interrupted(progress: Progress, reason: Interruption): Conversation {
  return progress.sent ? conclude(progress, reason) : { kind: 'not_sent', reason };
}

function conclude({ status, headers, chunks }: Progress, ending: 'complete' | 'cut' | Interruption): Conversation {
  if (status !== null) return { kind: 'answered', status, headers, body: Buffer.concat(chunks), ending };
  return { kind: 'unanswered', reason: ending === 'complete' || ending === 'cut' ? 'malformed' : ending };
}

/**
 * A client that owns exactly the given socket. undici reconnects by itself when a socket dies before its request is
 * written; here that call fails, since a fresh connection would not have passed the guard.
 */
function clientOver(socket: Socket, origin: string): Client {
  return new Client(origin, {
    pipelining: 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect(_options, callback) {
      // Not in the same tick: undici would miss the answer while it is still dispatching.
      queueMicrotask(() => {
        if (!socket.destroyed) callback(null, socket);
        else callback(Object.assign(new Error('connection gone'), { code: 'ECONNRESET' }), null);
      });
    },
  });
}

async function closeAll(client: Client, socket: Socket): Promise<void> {
  socket.destroy();
  await client.destroy();
}

const INVALID_REQUEST_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
]);

/** Looks at codes and names only: messages of errors can quote what was sent or received. */
function explain(error: NodeJS.ErrnoException, progress: Progress, socket: Socket): Conversation {
  const code = error.code ?? '';
  if (!progress.sent && INVALID_REQUEST_CODES.has(code)) return { kind: 'not_sent', reason: 'invalid_request' };
  // The parser also complains when the peer leaves in the middle: a broken connection, not a wrong answer.
  const garbled = error.name === 'HTTPParserError' && !socket.readableEnded;
  return interrupted(progress, garbled || code === 'UND_ERR_HEADERS_OVERFLOW' ? 'malformed' : 'reset');
}
