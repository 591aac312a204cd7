import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const BEAT_MS = 2_000;
const SILENT_MS = 20_000;

/**
 * Runs `task` while no other process on this folder runs one; waits as long as another does. Each process writes a claim of
 * its own and then looks for others, so of two at once at least one steps back. A claim ends with its process: when the
 * process number is gone or the claim was not touched for 20 s.
 */
export async function withLock(folder, task, onWait = () => {}) {
  await mkdir(folder, { recursive: true });
  let told = false;
  for (;;) {
    const claim = join(folder, `${process.pid}-${randomBytes(6).toString('hex')}.claim`);
    await writeFile(claim, '');
    if (!(await hasRival(folder, claim))) return runHolding(claim, task);
    await rm(claim, { force: true });
    if (!told) onWait();
    told = true;
    await delay(50 + Math.random() * 150);
  }
}

async function runHolding(claim, task) {
  const beat = setInterval(() => void utimes(claim, new Date(), new Date()).catch(() => {}), BEAT_MS);
  try {
    return await task();
  } finally {
    clearInterval(beat);
    await rm(claim, { force: true });
  }
}

async function hasRival(folder, ownClaim) {
  let found = false;
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (path === ownClaim || !name.endsWith('.claim')) continue;
    if (await isLive(path, Number.parseInt(name, 10))) found = true;
    else await rm(path, { force: true });
  }
  return found;
}

async function isLive(path, pid) {
  try {
    if (Date.now() - (await stat(path)).mtimeMs > SILENT_MS) return false;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
