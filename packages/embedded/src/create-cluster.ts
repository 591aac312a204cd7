import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataFolder, readPassword, removeUnfinishedClusters, syncFolder, writeDurably } from './data-folder.ts';
import { explainFailure } from './explain-failure.ts';
import type { PostgresBinaries } from './find-binaries.ts';
import type { Launcher } from './launcher.ts';
import { runCommand } from './run-command.ts';
import { openServerLog } from './server-log.ts';
import { chooseSyncMethod, quietSettings } from './server-settings.ts';

export interface ClusterOptions {
  folder: DataFolder;
  binaries: PostgresBinaries;
  launcher: Launcher;
  fsync: boolean;
}

export const ROLE = 'tidegate';
export const DATABASE = 'tidegate';

/** Only our own role may connect, over loopback, with its password; the superuser cannot log in at all. */
const CLIENT_RULES = `# Written by Tidegate. Only its own role connects; for superuser work use single-user mode.
host all ${ROLE} 127.0.0.1/32 scram-sha-256
`;

/**
 * Makes the cluster, its role and its database in a folder aside and renames that into place last: a cluster that exists
 * is whole. The builtin locale provider sorts alike on every system, so data folders survive a change of libc.
 */
export async function createCluster(options: ClusterOptions): Promise<void> {
  const { folder } = options;
  await removeUnfinishedClusters(folder);
  const password = (await readPassword(folder)) ?? randomBytes(32).toString('base64url');
  await writeDurably(folder.passwordPath, `${password}\n`);
  const draft = join(folder.path, `cluster-${randomBytes(6).toString('hex')}.tmp`);
  await runOrExplain(options, [
    options.binaries.initdb,
    ...['--pgdata', draft, '--username', 'postgres', '--encoding', 'UTF8', '--auth', 'reject', '--no-instructions'],
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C'],
    ...(options.fsync ? ['--sync-method', chooseSyncMethod(process.platform)] : ['--no-sync']),
  ]);
  await runOrExplain(
    options,
    [
      options.binaries.postgres,
      ...['--single', '-D', draft, '-c', 'exit_on_error=on', '-c', `fsync=${options.fsync ? 'on' : 'off'}`],
      ...quietSettings(),
      'postgres',
    ],
    listFirstStatements(password),
  );
  await writeFile(join(draft, 'pg_hba.conf'), CLIENT_RULES, { flush: true });
  await rename(draft, folder.clusterPath);
  await syncFolder(folder.path);
}

/** One statement a line, as single-user mode reads them. The role may make databases (tests clone one per file). */
function listFirstStatements(password: string): string {
  return [
    `create role ${ROLE} login createdb password '${password.replaceAll("'", "''")}'`,
    `create database ${DATABASE} owner ${ROLE}`,
    `grant pg_monitor to ${ROLE}`,
    '',
  ].join('\n');
}

async function runOrExplain(options: ClusterOptions, command: string[], input = ''): Promise<void> {
  const { binaries, launcher } = options;
  const result = await runCommand({ command, binaries, launcher, input });
  if (result.code === 0) return;
  openServerLog(options.folder.logPath).append(Buffer.from(result.output));
  throw explainFailure(result.output, { folder: options.folder, port: 0 });
}
