import { chmod, mkdir, open, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** The paths inside one data folder. */
export interface DataFolder {
  path: string;
  /** What Postgres calls its data directory. */
  clusterPath: string;
  passwordPath: string;
  logPath: string;
}

const UNFINISHED = /^cluster-[0-9a-f]+\.tmp$/;

/** Makes the folder (0700) if missing. Throws `data_folder_not_writable` when this user cannot write there. */
export async function openDataFolder(dataDir: string): Promise<DataFolder> {
  const wanted = resolve(dataDir);
  try {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    const path = await realpath(wanted);
    const probe = join(path, `.write-test-${process.pid}`);
    await writeFile(probe, '');
    await rm(probe, { force: true });
    return {
      path,
      clusterPath: join(path, 'cluster'),
      passwordPath: join(path, 'postgres-password.secret'),
      logPath: join(path, 'postgres.log'),
    };
  } catch (error) {
    throw explainFolderError(wanted, error as NodeJS.ErrnoException);
  }
}

const FOLDER_ERRORS = ['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EIO'];

/** Turns a file system error in the data folder into one sentence; any other error stays as it is. */
export function explainFolderError(path: string, error: NodeJS.ErrnoException): Error {
  if (error.code === 'ENOSPC' || error.code === 'EDQUOT') {
    return new EmbeddedPostgresError(
      'disk_full',
      `The disk that holds the data folder ${path} is full; free some space and start again.`,
    );
  }
  if (!FOLDER_ERRORS.includes(error.code ?? '')) return error;
  return new EmbeddedPostgresError(
    'data_folder_not_writable',
    `The data folder ${path} cannot be used by this user (${error.code}); mend its permissions or choose another data folder.`,
  );
}

/**
 * Tells whether a usable cluster is there. Throws `version_mismatch` for one of another PostgreSQL major version,
 * `data_folder_corrupt` for a folder without version, `password_missing` when its password file is gone.
 */
export async function inspectCluster(folder: DataFolder, major: number): Promise<'absent' | 'usable'> {
  const entries = await readdir(folder.clusterPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw explainFolderError(folder.path, error);
  });
  if (entries === null) return 'absent';
  const found = await readOptional(join(folder.clusterPath, 'PG_VERSION'));
  if (found === null || !/^\d+$/.test(found))
    throw corruptCluster(folder, 'its PG_VERSION file is missing or unreadable');
  if (Number(found) !== major) {
    throw new EmbeddedPostgresError(
      'version_mismatch',
      `The data folder ${folder.path} was made by PostgreSQL ${found}, this Tidegate brings PostgreSQL ${major}; run the Tidegate that made it, or move its contents over with a dump.`,
    );
  }
  if ((await readPassword(folder)) === null) {
    throw new EmbeddedPostgresError(
      'password_missing',
      `The Postgres password file ${folder.passwordPath} is missing or empty; restore it from a back-up.`,
    );
  }
  // Postgres refuses a folder that others can read, which a copy or an unpacked back-up easily becomes.
  await chmod(folder.clusterPath, 0o700);
  return 'usable';
}

export function corruptCluster(folder: DataFolder, why: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'data_folder_corrupt',
    `The Postgres data in ${folder.clusterPath} is damaged (${why}); restore it from a back-up, or move the folder away to begin with an empty store.`,
  );
}

export async function readPassword(folder: DataFolder): Promise<string | null> {
  return (await readOptional(folder.passwordPath)) || null;
}

export async function removeUnfinishedClusters(folder: DataFolder): Promise<void> {
  for (const name of await readdir(folder.path)) {
    if (UNFINISHED.test(name)) await rm(join(folder.path, name), { recursive: true, force: true });
  }
}

/** Writes a file so that a power cut leaves the old one or the new one, never half. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const draft = `${path}.tmp`;
  await writeFile(draft, text, { mode: 0o600, flush: true });
  await rename(draft, path);
  await syncFolder(join(path, '..'));
}

/** Makes renames inside a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function readOptional(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return null;
  }
}
