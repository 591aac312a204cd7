import { appendFileSync, renameSync, statSync } from 'node:fs';

/** The server's own words: kept in a file of bounded size (and one older file), and the last of them in memory. */
export interface ServerLog {
  append(chunk: Buffer): void;
  tail(): string;
}

const TAIL_LENGTH = 16_384;

/** `limitBytes` bounds each of the two files. A log that cannot be written never stops the server. */
export function openServerLog(path: string, limitBytes = 1_048_576): ServerLog {
  let size = readSize(path);
  let tail = '';
  return {
    append(chunk) {
      tail = (tail + chunk.toString('utf8')).slice(-TAIL_LENGTH);
      try {
        if (size > 0 && size + chunk.length > limitBytes) {
          renameSync(path, `${path}.1`);
          size = 0;
        }
        appendFileSync(path, chunk, { mode: 0o600 });
        size += chunk.length;
      } catch {
        // A full disk is told by Postgres itself.
      }
    },
    tail: () => tail,
  };
}

function readSize(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
