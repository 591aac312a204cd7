import { setTimeout as delay } from 'node:timers/promises';
import { chooseLauncher } from './choose-launcher.ts';
import { createCluster, DATABASE, ROLE } from './create-cluster.ts';
import { type DataFolder, explainFolderError, inspectCluster, openDataFolder, readPassword } from './data-folder.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { findBinaries } from './find-binaries.ts';
import { findFreePort } from './find-free-port.ts';
import type { Launcher } from './launcher.ts';
import { lockDataFolder } from './lock-data-folder.ts';
import { type RunningServer, runServer, type ServerExit, type ServerOptions } from './run-server.ts';
import { stopLeftover } from './stop-leftover.ts';

export interface EmbeddedPostgresOptions {
  /** Holds the cluster, its password and its log. Made (0700) when missing. */
  dataDir: string;
  /** 0 or left out: any free port. */
  port?: number;
  /** The server stops when this process dies, even by SIGKILL. Default true. */
  superviseParent?: boolean;
  /** False only for throwaway data: then a power cut may lose or damage it. Default true. */
  fsync?: boolean;
  /** Overrides the ways to start the server, for tests. */
  launchers?: Launcher[];
}

export interface EmbeddedPostgres {
  /** For the role and database `tidegate`; holds the password. */
  url: string;
  port: number;
  /** The server's own main process. */
  pid: number;
  /** Fast shutdown, bounded to about 7 seconds; safe to call twice. */
  stop(): Promise<void>;
  /** Resolves when the server is gone, for whatever reason. The data folder is free again by then. */
  exited: Promise<ServerExit>;
}

/** The PostgreSQL major version that the platform packages bring. */
const MAJOR = 18;
const RETRY_MS = 5_000;
const FIXED_PORT_RETRY_MS = 1_000;

/**
 * Starts a PostgreSQL of our own on 127.0.0.1 in one data folder: makes the cluster on first use, recovers from a crash, and
 * stops a server that a killed parent left behind. Throws EmbeddedPostgresError, one sentence per cause.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = await findBinaries();
  const folder = await openDataFolder(options.dataDir);
  const lock = await lockDataFolder(folder.path).catch((error: NodeJS.ErrnoException) => {
    throw explainFolderError(folder.path, error);
  });
  try {
    const superviseParent = options.superviseParent ?? true;
    const fsync = options.fsync ?? true;
    await stopLeftover(folder.clusterPath);
    const launcher = await chooseLauncher({
      binaries,
      dataDir: folder.path,
      superviseParent,
      ...(options.launchers ? { candidates: options.launchers } : {}),
    });
    if ((await inspectCluster(folder, MAJOR)) === 'absent') await createCluster({ folder, binaries, launcher, fsync });
    const common = { folder, binaries, launcher, fsync, superviseParent };
    const { server, port } = await runWithRetries(common, options.port ?? 0);
    const exited = server.exited.then(async (exit) => {
      await lock.release();
      return exit;
    });
    const stop = async (): Promise<void> => {
      await server.stop();
      await exited;
    };
    return { url: await buildUrl(folder, port), port, pid: server.pid, stop, exited };
  } catch (error) {
    await lock.release();
    throw explainFolderError(folder.path, error as NodeJS.ErrnoException);
  }
}

/** Two causes pass by themselves: a free port taken meanwhile, and the last children of a killed server. */
async function runWithRetries(
  options: Omit<ServerOptions, 'port'>,
  wantedPort: number,
): Promise<{ server: RunningServer; port: number }> {
  const startedAt = performance.now();
  for (;;) {
    const port = wantedPort || (await findFreePort());
    try {
      return { server: await runServer({ ...options, port }), port };
    } catch (error) {
      if (performance.now() - startedAt > patienceMs(error, wantedPort)) throw error;
      await delay(100);
    }
  }
}

function patienceMs(error: unknown, wantedPort: number): number {
  const code = error instanceof EmbeddedPostgresError ? error.code : null;
  if (code === 'port_in_use') return wantedPort === 0 ? RETRY_MS : FIXED_PORT_RETRY_MS;
  return code === 'data_folder_in_use' ? RETRY_MS : 0;
}

async function buildUrl(folder: DataFolder, port: number): Promise<string> {
  const password = (await readPassword(folder)) ?? '';
  return `postgres://${ROLE}:${encodeURIComponent(password)}@127.0.0.1:${port}/${DATABASE}`;
}
