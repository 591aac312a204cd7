import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DataFolder } from './data-folder.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { explainFailure } from './explain-failure.ts';
import type { PostgresBinaries } from './find-binaries.ts';
import type { Launcher } from './launcher.ts';
import { spawnThrough } from './run-command.ts';
import { openServerLog } from './server-log.ts';
import { serverSettings } from './server-settings.ts';
import { watchParent } from './watch-parent.ts';

export interface ServerExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RunningServer {
  pid: number;
  exited: Promise<ServerExit>;
  stop(): Promise<void>;
}

export interface ServerOptions {
  folder: DataFolder;
  binaries: PostgresBinaries;
  launcher: Launcher;
  port: number;
  fsync: boolean;
  superviseParent: boolean;
}

/** Replaying the log after a crash can take minutes on a slow disk; a server that fails says so by ending. */
const READY_TIMEOUT_MS = 300_000;
const FAST_STOP_MS = 5_000;
const QUIT_STOP_MS = 2_000;
/** Children of a killed server hold its output open for a moment. */
const DRAIN_MS = 1_000;

/** Starts the server and resolves once it accepts connections. Throws EmbeddedPostgresError when it ends before. */
export async function runServer(options: ServerOptions): Promise<RunningServer> {
  const { folder, binaries, launcher, port } = options;
  const log = openServerLog(folder.logPath);
  // Its own session: Ctrl-C in a terminal must reach the apps first, and the store last.
  const child = spawnThrough(
    {
      command: [
        binaries.postgres,
        '-D',
        folder.clusterPath,
        ...serverSettings({ port, fsync: options.fsync, platform: process.platform }),
      ],
      binaries,
      launcher,
    },
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true, cwd: folder.path },
  );
  child.stderr?.on('data', (chunk: Buffer) => log.append(chunk));
  const exited = observeExit(child);
  const watch = options.superviseParent && !launcher.diesWithParent && child.pid ? watchParent(child.pid) : null;
  void exited.then(() => watch?.stop());
  const stop = (): Promise<void> => stopServer(child, exited);
  try {
    const outcome = await awaitReady(child, folder, exited);
    if (outcome === 'ended') throw explainFailure(log.tail(), { folder, port });
    if (outcome === 'timeout') throw startTimeout(folder);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid ?? 0, exited, stop };
}

function startTimeout(folder: DataFolder): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'start_timeout',
    `The embedded Postgres was not ready within ${READY_TIMEOUT_MS / 60_000} minutes; see ${folder.logPath}.`,
  );
}

async function observeExit(child: ChildProcess): Promise<ServerExit> {
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const exit = await new Promise<ServerExit>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const timer = new AbortController();
  await Promise.race([closed, delay(DRAIN_MS, undefined, { signal: timer.signal }).catch(() => {})]);
  timer.abort();
  return exit;
}

async function awaitReady(
  child: ChildProcess,
  folder: DataFolder,
  exited: Promise<ServerExit>,
): Promise<'ready' | 'ended' | 'timeout'> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const deadline = performance.now() + READY_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (ended) return 'ended';
    if (saysReady(folder, child.pid)) return 'ready';
    await delay(10);
  }
  return 'timeout';
}

/** Postgres keeps its number on line 1 and its state on line 8 of its lock file (as pg_ctl reads it). */
function saysReady(folder: DataFolder, pid: number | undefined): boolean {
  try {
    const lines = readFileSync(join(folder.clusterPath, 'postmaster.pid'), 'utf8').split('\n');
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
  } catch {
    return false;
  }
}

/** Fast shutdown (sessions end, a checkpoint is written), then harder. Each step is safe for the data. */
async function stopServer(child: ChildProcess, exited: Promise<ServerExit>): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGINT', FAST_STOP_MS],
    ['SIGQUIT', QUIT_STOP_MS],
  ] as const) {
    if (child.exitCode !== null || child.signalCode !== null) break;
    child.kill(signal);
    const timer = new AbortController();
    await Promise.race([exited, delay(waitMs, undefined, { signal: timer.signal }).catch(() => {})]);
    timer.abort();
  }
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await exited;
}
