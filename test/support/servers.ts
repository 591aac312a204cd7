import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../packages/embedded/src/index.ts';
import { makeTempFolder } from './temp-folder.ts';

export interface TestRedis {
  url: string;
  port: number;
  pid: number;
  /** Kills it and removes its folder; safe to call twice. */
  stop(): Promise<void>;
  exited: Promise<void>;
}

const REDIS_SCRIPT = fileURLToPath(new URL('../../infra/setup/redis.mjs', import.meta.url));
const REDIS_START_MS = 10_000;

/**
 * A Postgres of its own in a temp folder, as `tidegate up` starts it; ends with this process. `fsync: true` for tests that
 * kill it and count rows; without it start and writes are faster. Give `dataDir` to keep the folder across restarts.
 */
export async function startTestPostgres(
  options: { fsync?: boolean; port?: number; dataDir?: string } = {},
): Promise<EmbeddedPostgres & { dataDir: string }> {
  const dataDir = options.dataDir ?? (await makeTempFolder('postgres'));
  const server = await startEmbeddedPostgres({ dataDir, port: options.port ?? 0, fsync: options.fsync ?? false });
  const stop = async (): Promise<void> => {
    await server.stop();
    if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  };
  return { ...server, dataDir, stop };
}

/**
 * A Redis of its own: empty, nothing written to disk, never evicting; ends with this process. `settings` are further
 * redis-server arguments, say `['--maxmemory-policy', 'allkeys-lru']`. The first call on a machine may fetch the program.
 */
export async function startTestRedis(options: { port?: number; settings?: string[] } = {}): Promise<TestRedis> {
  const { stdout } = await promisify(execFile)(process.execPath, [REDIS_SCRIPT]);
  const program = JSON.parse(stdout) as { command: string; libraryPath: string | null };
  const folder = await makeTempFolder('redis');
  const deadline = performance.now() + REDIS_START_MS;
  for (;;) {
    const port = options.port || (await findFreePort());
    const child = spawnRedis(program, port, folder, options.settings ?? []);
    const exited = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    if (await answersBefore(exited, child, port)) return describeRedis(child, exited, port, folder);
    if (performance.now() > deadline) throw new Error(`the test Redis did not start on port ${port}`);
    await delay(50);
  }
}

function describeRedis(child: ChildProcess, exited: Promise<void>, port: number, folder: string): TestRedis {
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await exited;
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `redis://127.0.0.1:${port}`, port, pid: child.pid ?? 0, stop, exited };
}

function spawnRedis(
  program: { command: string; libraryPath: string | null },
  port: number,
  folder: string,
  settings: string[],
): ChildProcess {
  const redis = [
    program.command,
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no', '--loglevel', 'warning'],
    ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction', ...settings],
  ];
  const [command = '', ...args] = isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'KILL', '--', ...redis] : redis;
  return spawn(command, args, {
    stdio: 'ignore',
    cwd: folder,
    env: { ...process.env, ...(program.libraryPath ? { LD_LIBRARY_PATH: program.libraryPath } : {}) },
  });
}

function isOnPath(name: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** True once our own process answers; false when it ended (its port was taken meanwhile) or stays silent. */
async function answersBefore(exited: Promise<void>, child: ChildProcess, port: number): Promise<boolean> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const deadline = performance.now() + REDIS_START_MS;
  while (!ended && performance.now() < deadline) {
    if ((await ask(port)) === `${child.pid}`) return true;
    await delay(10);
  }
  child.kill('SIGKILL');
  return false;
}

/** The process number that the Redis on this port tells of itself, or null. */
function ask(port: number): Promise<string | null> {
  return new Promise((resolve) => {
    let answer = '';
    const finish = (): void => {
      socket.destroy();
      resolve(/^process_id:(\d+)/m.exec(answer)?.[1] ?? null);
    };
    const socket = connect(port, '127.0.0.1', () => socket.end('INFO server\r\nQUIT\r\n'));
    socket.setTimeout(1_000, finish);
    socket.on('data', (chunk) => {
      answer += chunk.toString('utf8');
    });
    socket.on('end', finish);
    socket.on('error', finish);
  });
}

function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
