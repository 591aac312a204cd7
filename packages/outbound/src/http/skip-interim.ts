import type { Socket } from 'node:net';

/** The head of an answer, as far as it is known to be one that others follow; 101 is none. */
const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/;
const STATUS_LENGTH = 'HTTP/1.1 100'.length;
const STARTS = ['HTTP/1.1 1', 'HTTP/1.0 1'];
const END_OF_HEAD = '\r\n\r\n';
/** As much as undici takes of a head. */
const LONGEST_HEAD_BYTES = 16_384;

/**
 * Takes interim answers (1xx) out of what is read from a socket. RFC 9110 §15.2 wants a client to expect them, asked for or not,
 * and undici breaks the connection at a 100 that it did not ask for, which would make a known answer an unknown one. From the
 * first head that is not interim on, everything passes as it comes.
 */
export function skipInterim(socket: Socket): void {
  const read = socket.read.bind(socket);
  let held: Buffer = Buffer.alloc(0);
  let passing = false;

  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const chunk: Buffer | null = read(size);
      if (passing || chunk === null) return chunk;
      held = withoutInterim(Buffer.concat([held, chunk]));
      if (mayBeInterim(held)) continue;
      passing = true;
      return held;
    }
  };
}

function withoutInterim(bytes: Buffer): Buffer {
  let rest = bytes;
  while (INTERIM.test(rest.toString('latin1', 0, STATUS_LENGTH))) {
    const end = rest.indexOf(END_OF_HEAD);
    if (end < 0) break;
    rest = rest.subarray(end + END_OF_HEAD.length);
  }
  return rest;
}

/** Whether more bytes are needed to know. */
function mayBeInterim(bytes: Buffer): boolean {
  const text = bytes.toString('latin1', 0, STATUS_LENGTH);
  if (text.length < STATUS_LENGTH) return STARTS.some((start) => start.startsWith(text.slice(0, start.length)));
  return INTERIM.test(text) && bytes.length <= LONGEST_HEAD_BYTES;
}
