import { randomUUID } from 'node:crypto';
import { open, rm, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { formatDuration } from '@tidegate/runtime';
import { broken, type Finding, ok, warning } from './finding.ts';

/** What the spool may grow to; a receiver without that much room loses deliveries while the store is away. */
const SPOOL_CAP_BYTES = 64 * 1024 * 1024;
const ROOMY_BYTES = 4 * SPOOL_CAP_BYTES;
const SLOW_MS = 500;
/** The quickest of some counts: one alone may have met a busy moment. */
const TRIES = 3;
const MIB = 1024 * 1024;

/** Whether the disk under the spool has room, and keeps what it is told to keep. */
export async function examineSpool(dataDir: string): Promise<Finding[]> {
  const folder = (await isThere(join(dataDir, 'spool'))) ? join(dataDir, 'spool') : dataDir;
  if (!(await isThere(folder))) {
    const fix = 'Start `tidegate up`, which makes it, or set TIDEGATE_DATA_DIR to the one in use.';
    return [warning('spool', `The data folder ${dataDir} does not exist.`, fix)];
  }
  return [await judgeRoom(folder), await tryToKeep(folder)];
}

async function judgeRoom(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const says = `${Math.floor(free / MIB)} MiB are free under ${folder}`;
  const fix = `Make room on the disk of ${folder}: the spool may need ${SPOOL_CAP_BYTES / MIB} MiB.`;
  if (free < SPOOL_CAP_BYTES) return broken('spool', `${says}, less than the spool may need.`, fix);
  return free < ROOMY_BYTES ? warning('spool', `${says}.`, fix) : ok('spool', `${says}.`);
}

async function tryToKeep(folder: string): Promise<Finding> {
  const path = join(folder, `.doctor-${randomUUID()}`);
  let quickestMs = Number.POSITIVE_INFINITY;
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const startedAtMs = performance.now();
        await file.write(Buffer.alloc(4096, 1));
        await file.sync();
        quickestMs = Math.min(quickestMs, Math.round(performance.now() - startedAtMs));
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    return broken(
      'spool',
      `Nothing can be written into ${folder} (${code}).`,
      `Give this user the right to, or mend its disk.`,
    );
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
  if (quickestMs <= SLOW_MS) return ok('spool', `fsync works, in ${quickestMs} ms.`);
  return warning(
    'spool',
    `fsync took ${formatDuration(quickestMs)}.`,
    'Put the data folder on a faster disk: each 202 waits for one.',
  );
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
