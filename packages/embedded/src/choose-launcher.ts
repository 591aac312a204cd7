import { chown, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { type PostgresBinaries, unsupportedPlatform } from './find-binaries.ts';
import type { Launcher } from './launcher.ts';
import { runCommand } from './run-command.ts';

export interface LauncherOptions {
  binaries: PostgresBinaries;
  dataDir: string;
  superviseParent: boolean;
  uid?: number | null;
  candidates?: Launcher[];
}

const NOBODY = 65534;

/**
 * Tries the ways to start Postgres, best first, with a harmless call in the data folder, and gives the first that works.
 * Errors: `unsupported_platform` when the binary itself does not run here, `no_server_user` when root finds no way down.
 */
export async function chooseLauncher(options: LauncherOptions): Promise<Launcher> {
  const uid = options.uid === undefined ? (process.getuid?.() ?? null) : options.uid;
  for (const launcher of options.candidates ?? listLaunchers(uid, options.superviseParent)) {
    if (launcher.ownerUid !== null) await giveTo(options.dataDir, launcher.ownerUid);
    if (await works(launcher, options)) return launcher;
  }
  const direct = await runCommand({ command: [options.binaries.postgres, '--version'], binaries: options.binaries });
  if (direct.code !== 0 || uid !== 0) throw unsupportedPlatform(`${process.platform}-${process.arch}`);
  throw new EmbeddedPostgresError(
    'no_server_user',
    `Postgres refuses to run as root and no other user can reach ${options.dataDir}; run Tidegate as an ordinary user, or set DATABASE_URL.`,
  );
}

/**
 * As root: a user namespace in which we look like an ordinary user (works below 0700 folders); else user 65534; else the
 * same with leave to pass closed folders. `setpriv --pdeathsig` makes the kernel stop the server when its parent dies.
 */
export function listLaunchers(uid: number | null, superviseParent: boolean): Launcher[] {
  const death = superviseParent ? ['--pdeathsig', 'QUIT'] : [];
  const diesWithParent = superviseParent;
  const base = { spawnAs: null, ownerUid: null, diesWithParent };
  if (uid !== 0) {
    const supervised = { ...base, name: 'setpriv', prefix: ['setpriv', ...death, '--'] };
    return [...(superviseParent ? [supervised] : []), { ...base, name: 'plain', prefix: [], diesWithParent: false }];
  }
  const namespace = ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'];
  const drop = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', ...death];
  // Postgres asks access(), which forgets the leave after a change of user unless told to keep it.
  const pass = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup'];
  return [
    {
      ...base,
      name: 'namespace',
      prefix: [...namespace, ...(superviseParent ? ['setpriv', ...death, '--'] : [])],
      ownerUid: 0,
    },
    { ...base, name: 'nobody', prefix: [...drop, '--'], ownerUid: NOBODY },
    { ...base, name: 'nobody-pass', prefix: [...drop, ...pass, '--'], ownerUid: NOBODY },
    { ...base, name: 'nobody-plain', prefix: [], spawnAs: NOBODY, ownerUid: NOBODY, diesWithParent: false },
  ];
}

async function works(launcher: Launcher, options: LauncherOptions): Promise<boolean> {
  if (process.platform === 'win32') return true;
  const probe = [
    '/bin/sh',
    '-c',
    'cd "$1" && test -w . && exec "$0" --version',
    options.binaries.postgres,
    options.dataDir,
  ];
  const result = await runCommand({ command: probe, launcher, binaries: options.binaries });
  return result.code === 0;
}

/** Hands a folder and all in it to `uid`. The folder itself comes last, so that an interrupted run is done again. */
async function giveTo(path: string, uid: number): Promise<void> {
  const stat = await lstat(path);
  if (stat.uid === uid) return;
  await giveAll(path, stat.isDirectory(), uid);
}

async function giveAll(path: string, isDirectory: boolean, uid: number): Promise<void> {
  if (isDirectory) {
    for (const entry of await readdir(path, { withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await giveAll(join(path, entry.name), entry.isDirectory(), uid);
    }
  }
  await chown(path, uid, uid);
}
