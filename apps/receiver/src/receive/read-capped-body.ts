import type { IncomingMessage } from 'node:http';

export type BodyResult =
  | { readonly kind: 'body'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  | { readonly kind: 'aborted' };

/**
 * Reads a request body from its socket, counting the bytes that really arrive: a Content-Length proves nothing.
 * @param capBytes the largest body accepted
 */
export function readCappedBody(incoming: IncomingMessage, capBytes: number): Promise<BodyResult> {
  if (Number(incoming.headers['content-length'] ?? 0) > capBytes) return Promise.resolve({ kind: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (result: BodyResult) => {
      incoming.off('data', onData);
      resolve(result);
    };
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > capBytes) settle({ kind: 'too_large' });
      else chunks.push(chunk);
    };
    incoming.on('data', onData);
    incoming.once('end', () =>
      settle({ kind: 'body', bytes: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }),
    );
    incoming.once('error', () => settle({ kind: 'aborted' }));
    incoming.once('close', () => settle({ kind: 'aborted' }));
  });
}
