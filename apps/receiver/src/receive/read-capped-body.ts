import type { IncomingMessage } from 'node:http';

export type BodyResult =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

const TOO_LARGE: BodyResult = { kind: 'too_large' };
const ABORTED: BodyResult = { kind: 'aborted' };

/**
 * Reads a request body from its socket, counting the bytes that really arrive: a Content-Length proves nothing.
 * @param capBytes the largest body accepted
 */
export function readCappedBody(incoming: IncomingMessage, capBytes: number): Promise<BodyResult> {
  if (Number(incoming.headers['content-length'] ?? 0) > capBytes) return Promise.resolve(TOO_LARGE);
  return new Promise((resolve) => {
    // Nearly always the body is one chunk: an array is made for the second.
    let bytes: Buffer | null = null;
    let more: Buffer[] | null = null;
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > capBytes) {
        incoming.off('data', onData);
        // Without a listener it would flow on, and be thrown away.
        incoming.pause();
        resolve(TOO_LARGE);
      } else if (bytes === null) bytes = chunk;
      else if (more === null) more = [bytes, chunk];
      else more.push(chunk);
    };
    incoming.on('data', onData);
    incoming.on('end', () => resolve({ kind: 'body', bytes: more === null ? (bytes ?? EMPTY) : Buffer.concat(more) }));
    // Whatever ends a request, `close` comes last; after `end` it changes nothing. Without a listener for it no error is thrown.
    incoming.on('close', () => resolve(ABORTED));
  });
}

const EMPTY = Buffer.alloc(0);
