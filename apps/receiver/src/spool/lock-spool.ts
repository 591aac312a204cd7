import { createHash, randomBytes, randomInt } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '@tidegate/core';

export interface SpoolLock {
  release(): Promise<void>;
}

const CLAIM = /^receiver-[0-9a-f]{16}\.sock$/;
/** What the address of a socket may hold on every system, the name of a claim taken off. */
const LONGEST_FOLDER = 100 - 'receiver-0123456789abcdef.sock'.length;
const PATIENCE_MS = 1500;

/**
 * Makes this process the one receiver of a data folder, so that no two share a spool. A claim is a listening socket, which the system closes when its process ends
 * however it ends, also in another container on this machine. Each process makes a claim of its own first and looks for
 * others second, so of two at once at least one sees the other and steps back; names are used once, so removing a dead
 * claim cannot hit a live one.
 * @throws AppError `spool_in_use`
 */
export async function lockSpool(dir: string): Promise<SpoolLock> {
  const folder = claimFolder(resolve(dir));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const startedAt = performance.now();
  for (;;) {
    const path = join(folder, `receiver-${randomBytes(8).toString('hex')}.sock`);
    const claim = await listen(path);
    if (!(await hasRival(folder, path))) return { release: () => close(claim) };
    await close(claim);
    if (performance.now() - startedAt > PATIENCE_MS) throw inUse(dir);
    await delay(randomInt(5, 60));
  }
}

function claimFolder(dir: string): string {
  if (Buffer.byteLength(dir) < LONGEST_FOLDER) return dir;
  return join(tmpdir(), `tidegate-${createHash('sha256').update(dir).digest('hex').slice(0, 16)}`);
}

async function hasRival(folder: string, own: string): Promise<boolean> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (!CLAIM.test(name) || path === own) continue;
    if (await answers(path)) return true;
    await rm(path, { force: true });
  }
  return false;
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(path, () => resolve(server));
    server.unref();
  });
}

/** Node removes the socket's file. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'));
  });
}

function inUse(dir: string): AppError {
  return new AppError({
    code: 'spool_in_use',
    publicMessage: `The folder ${dir} is in use by another running receiver; stop that one, or give this one a data folder of its own.`,
  });
}
