import { randomBytes, randomInt } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { readProcessStart } from './process-identity.ts';

export interface DataFolderLock {
  release(): Promise<void>;
}

interface Owner {
  pid: number;
  start: string;
}

interface Rival {
  pid: number;
  ageMs: number;
}

const LOCK_NAME = /^owner-[0-9a-f]{16}\.lock$/;
/** Claims are made and checked in milliseconds; an older one has won. */
const SETTLED_MS = 1_000;
const PATIENCE_MS = 1_500;

/**
 * Makes this process the one owner of a data folder, or throws `data_folder_in_use`. Every process writes a file of its own
 * first and looks for others second, so of two that try at once at least one sees the other and steps back. Files of
 * processes that no longer run are removed; their names are never used again, so that removal cannot hit a live owner.
 */
export async function lockDataFolder(dataDir: string): Promise<DataFolderLock> {
  const startedAt = performance.now();
  for (;;) {
    const path = await claim(dataDir);
    const rival = await findRival(dataDir, path);
    if (rival === null) return { release: () => rm(path, { force: true }) };
    await rm(path, { force: true });
    if (rival.ageMs > SETTLED_MS || performance.now() - startedAt > PATIENCE_MS) throw inUse(dataDir, rival.pid);
    await delay(randomInt(5, 60));
  }
}

function inUse(dataDir: string, pid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'data_folder_in_use',
    `The data folder ${dataDir} is in use by a running Tidegate (process ${pid}); stop that one or choose another data folder.`,
  );
}

async function claim(dataDir: string): Promise<string> {
  const path = join(dataDir, `owner-${randomBytes(8).toString('hex')}.lock`);
  const owner: Owner = { pid: process.pid, start: readProcessStart(process.pid) ?? 'unknown' };
  await writeFile(`${path}.tmp`, JSON.stringify(owner), { mode: 0o600 });
  await rename(`${path}.tmp`, path);
  return path;
}

/** The longest-standing live owner other than ourselves; clears away those that no longer run. */
async function findRival(dataDir: string, ownPath: string): Promise<Rival | null> {
  let oldest: Rival | null = null;
  for (const name of await readdir(dataDir)) {
    const path = join(dataDir, name);
    if (!LOCK_NAME.test(name) || path === ownPath) continue;
    const rival = await inspectLock(path);
    if (rival === 'dead') await rm(path, { force: true });
    else if (rival !== 'gone' && rival.ageMs > (oldest?.ageMs ?? -Infinity)) oldest = rival;
  }
  return oldest;
}

async function inspectLock(path: string): Promise<Rival | 'dead' | 'gone'> {
  try {
    const owner = parseOwner(await readFile(path, 'utf8'));
    if (owner === null || readProcessStart(owner.pid) !== owner.start) return 'dead';
    return { pid: owner.pid, ageMs: Date.now() - (await stat(path)).mtimeMs };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    throw error;
  }
}

function parseOwner(text: string): Owner | null {
  try {
    const value = JSON.parse(text) as Partial<Owner> | null;
    return typeof value?.pid === 'number' && typeof value.start === 'string'
      ? { pid: value.pid, start: value.start }
      : null;
  } catch {
    return null;
  }
}
