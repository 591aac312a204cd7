import { type FileHandle, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/** One file of the spool. */
export interface Segment {
  readonly number: number;
  readonly path: string;
  /** Up to where it is written and synced. */
  bytes: number;
}

/** The segment that is written to. */
export interface OpenSegment extends Segment {
  readonly file: FileHandle;
}

const NAME = /^(\d{10})\.spool(\.damaged)?$/;

/** The segments of a folder, oldest first, and the highest number that was ever given there. */
export async function listSegments(dir: string): Promise<{ segments: Segment[]; newest: number }> {
  const segments: Segment[] = [];
  let newest = 0;
  for (const name of (await readdir(dir)).sort()) {
    const [, digits, aside] = NAME.exec(name) ?? [];
    if (digits === undefined) continue;
    newest = Math.max(newest, Number(digits));
    const path = join(dir, name);
    if (aside === undefined) segments.push({ number: Number(digits), path, bytes: (await stat(path)).size });
  }
  return { segments, newest };
}

/** Makes a new segment (0600) whose name survives a power cut. */
export async function makeSegment(dir: string, number: number): Promise<OpenSegment> {
  const path = join(dir, `${String(number).padStart(10, '0')}.spool`);
  const file = await open(path, 'wx', 0o600);
  try {
    await syncFolder(dir);
  } catch (error) {
    await file.close();
    throw error;
  }
  return { number, path, bytes: 0, file };
}

/** Appends bytes and waits until they are on disk. What a failure leaves behind it is cut off, if that can be done. */
export async function appendTo(segment: OpenSegment, bytes: Buffer): Promise<void> {
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await segment.file.write(bytes, done, bytes.length - done, segment.bytes + done);
      done += bytesWritten;
    }
    await segment.file.sync();
    segment.bytes += bytes.length;
  } catch (error) {
    await segment.file.truncate(segment.bytes).catch(() => undefined);
    throw error;
  }
}

/** All of a segment. */
export function readSegment({ path }: Segment): Promise<Buffer> {
  return readFile(path);
}
