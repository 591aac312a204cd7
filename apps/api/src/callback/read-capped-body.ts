import type { IncomingMessage } from 'node:http';

export type CappedBody =
  | { readonly kind: 'read'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/**
 * Reads a request's body and counts what really arrives. Too large is said as soon as it is known; the server then lets
 * the rest run out, so that the sender gets to read the answer.
 */
export function readCappedBody(incoming: IncomingMessage, capBytes: number): Promise<CappedBody> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > capBytes) return Promise.resolve({ kind: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (body: CappedBody) => {
      incoming.off('data', onData);
      resolve(body);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > capBytes) end({ kind: 'too_large' });
    };
    incoming.on('data', onData);
    incoming.once('end', () => end({ kind: 'read', bytes: Buffer.concat(chunks, size) }));
    incoming.once('error', () => end({ kind: 'aborted' }));
    incoming.once('close', () => end({ kind: 'aborted' }));
  });
}
