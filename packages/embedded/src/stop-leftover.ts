import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { readProcessStart } from './process-identity.ts';
import { waitUntil } from './wait-until.ts';

/** What still runs on a cluster: the server's main process and its children, if any. */
interface Leftover {
  main: number | null;
  all: number[];
}

const FAST_STOP_MS = 8_000;
const HARD_STOP_MS = 4_000;

/**
 * Stops a server that an earlier, killed parent left on this cluster, so that the port and the files are ours; then drops a
 * lock file whose number now belongs to some other program. Call it only as the owner of the data folder. Throws
 * `data_folder_in_use` when the server withstands.
 */
export async function stopLeftover(clusterPath: string): Promise<void> {
  const found = findLeftover(clusterPath);
  if (found.main !== null) {
    sendSignal(found.main, 'SIGINT');
    await waitUntil(() => findLeftover(clusterPath).all.length === 0, FAST_STOP_MS);
  } else if (found.all.length > 0) {
    // Children without their main process end by themselves as soon as they notice.
    await waitUntil(() => findLeftover(clusterPath).all.length === 0, HARD_STOP_MS);
  }
  const remaining = findLeftover(clusterPath).all;
  for (const pid of remaining) sendSignal(pid, 'SIGKILL');
  if (remaining.length > 0 && !(await waitUntil(() => findLeftover(clusterPath).all.length === 0, HARD_STOP_MS))) {
    throw new EmbeddedPostgresError(
      'data_folder_in_use',
      `A Postgres that this user cannot stop (process ${remaining[0]}) still uses ${clusterPath}; stop it first.`,
    );
  }
  await dropForeignLockFile(clusterPath);
}

function findLeftover(clusterPath: string): Leftover {
  if (process.platform === 'win32') return { main: null, all: [] };
  return process.platform === 'linux' ? scanProc(clusterPath) : scanPs(clusterPath);
}

function scanProc(clusterPath: string): Leftover {
  const leftover: Leftover = { main: null, all: [] };
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const isMain = isMainProcess(pid, clusterPath);
    if (!isMain && !isChildProcess(pid, clusterPath)) continue;
    if (readProcessStart(pid) === null) continue;
    if (isMain) leftover.main = pid;
    leftover.all.push(pid);
  }
  return leftover;
}

function isMainProcess(pid: number, clusterPath: string): boolean {
  try {
    const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return basename(program) === 'postgres' && args[args.indexOf('-D') + 1] === clusterPath;
  } catch {
    return false;
  }
}

/** Children rename themselves, but work in the cluster's folder. */
function isChildProcess(pid: number, clusterPath: string): boolean {
  try {
    return (
      readlinkSync(`/proc/${pid}/cwd`) === clusterPath &&
      basename(readlinkSync(`/proc/${pid}/exe`)).startsWith('postgres')
    );
  } catch {
    return false;
  }
}

function scanPs(clusterPath: string): Leftover {
  const lines = execFileSync('/bin/ps', ['-axo', 'pid=,command='], { encoding: 'utf8', maxBuffer: 16_777_216 }).split(
    '\n',
  );
  const main = lines.find((line) => line.includes(`postgres -D ${clusterPath} `));
  const pid = main === undefined ? null : Number.parseInt(main, 10);
  return { main: pid, all: pid === null ? [] : [pid] };
}

/** Postgres refuses to start while the number in its lock file is alive, even when that is another program by now. */
async function dropForeignLockFile(clusterPath: string): Promise<void> {
  const path = join(clusterPath, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return;
  const pid = Number.parseInt(text, 10);
  if (!(pid > 0) || readProcessStart(pid) !== null) await unlink(path).catch(() => {});
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or belongs to somebody else: then Postgres itself refuses the folder.
  }
}
