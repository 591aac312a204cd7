import { corruptCluster, type DataFolder } from './data-folder.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** Finds the sentence for a Postgres program that ended early, by what it last said. */
export function explainFailure(output: string, at: { folder: DataFolder; port: number }): EmbeddedPostgresError {
  const { folder, port } = at;
  if (/Address already in use|could not create any TCP\/IP sockets/.test(output)) {
    return new EmbeddedPostgresError(
      'port_in_use',
      `Port ${port} on 127.0.0.1 is in use by another program; stop that one or choose another port for the embedded Postgres.`,
    );
  }
  if (/No space left on device|Disk quota exceeded/.test(output)) {
    return new EmbeddedPostgresError(
      'disk_full',
      `The disk that holds the data folder ${folder.path} is full; free some space and start again.`,
    );
  }
  if (/shared memory block|lock file ".*" already exists/.test(output)) {
    return new EmbeddedPostgresError(
      'data_folder_in_use',
      `The data folder ${folder.path} is still in use by another Postgres; stop that one or choose another data folder.`,
    );
  }
  if (/Permission denied|Operation not permitted|wrong ownership|Read-only file system/.test(output)) {
    return new EmbeddedPostgresError(
      'data_folder_not_writable',
      `Postgres may not use its files in ${folder.path}; mend their owner and permissions or choose another data folder.`,
    );
  }
  if (DAMAGE.test(output)) return corruptCluster(folder, `see ${folder.logPath}`);
  return new EmbeddedPostgresError(
    'start_failed',
    `The embedded Postgres did not start; its reason is in ${folder.logPath}.`,
  );
}

const DAMAGE =
  /PANIC:|pg_control|checkpoint record|incompatible with server|invalid page|checksum|could not (open|read|access) (file|directory)|is not a valid|bogus data|invalid contents|not a database cluster/;
