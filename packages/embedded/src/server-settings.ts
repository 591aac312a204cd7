import { release } from 'node:os';

/** Settings of every server that this package starts; given on the command line so that a new release changes them. */
export function serverSettings(options: { port: number; fsync: boolean; platform: NodeJS.Platform }): string[] {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    port: String(options.port),
    unix_socket_directories: '',
    max_connections: '100',
    recovery_init_sync_method: chooseSyncMethod(options.platform),
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...SILENT_LOG,
    ...(options.fsync ? DURABLE : THROWAWAY),
    // On macOS a plain fsync stops at the drive's cache.
    ...(options.fsync && options.platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {}),
  };
  return toArguments(settings);
}

/**
 * How the whole data folder is synced after a crash: file by file takes seconds on a busy disk, one `syncfs` a fraction of one.
 * Before Linux 5.8 syncfs could hide a write error (PostgreSQL manual, recovery_init_sync_method).
 */
export function chooseSyncMethod(platform: NodeJS.Platform, kernel = release()): 'syncfs' | 'fsync' {
  const [major = 0, minor = 0] = kernel.split('.').map(Number);
  return platform === 'linux' && (major > 5 || (major === 5 && minor >= 8)) ? 'syncfs' : 'fsync';
}

/** For single-user mode, where no client can connect. */
export function quietSettings(): string[] {
  return toArguments({ ...SILENT_LOG, log_checkpoints: 'off' });
}

const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };
const THROWAWAY = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Error messages of statements can quote values, so nothing about a client's statement reaches the log. */
const SILENT_LOG = {
  log_destination: 'stderr',
  logging_collector: 'off',
  lc_messages: 'C',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_min_duration_sample: '-1',
  log_transaction_sample_rate: '0',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_autovacuum_min_duration: '-1',
  log_checkpoints: 'off',
  debug_print_parse: 'off',
  debug_print_plan: 'off',
  debug_print_rewritten: 'off',
};

function toArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
