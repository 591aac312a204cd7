import type { IncomingMessage } from 'node:http';

/** `complete` is false when the sender went away before the end; `bytes` then holds what had arrived. */
export interface ReceivedBody {
  readonly bytes: Buffer;
  readonly complete: boolean;
}

/** Reads a whole message body; a sender that disappears is an outcome here, never an exception. */
export function readBody(message: IncomingMessage): Promise<ReceivedBody> {
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    message.on('data', (chunk: Buffer) => chunks.push(chunk));
    // 'close' follows 'end', so only the first call counts.
    message.once('end', () => resolve({ bytes: Buffer.concat(chunks), complete: true }));
    message.once('error', () => resolve({ bytes: Buffer.concat(chunks), complete: false }));
    message.once('close', () => resolve({ bytes: Buffer.concat(chunks), complete: false }));
  });
}
