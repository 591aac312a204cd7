import { ConfigError, type ConfigIssue, EnvError } from '../config/config-error.ts';
import { errorCode } from '../log/clean-field.ts';

/** How a process that cannot start says so: what to print, and the exit code. */
export interface FailureReport {
  readonly text: string;
  readonly exitCode: 1 | 2;
  /** What is wrong in the config, one by one; empty for any other failure. */
  readonly issues: readonly ConfigIssue[];
}

/**
 * One clear sentence for a failure to start, without a stack trace or anything received. Exit code 2 means that the
 * config or the environment must be changed; 1 is everything else.
 */
export function describeFailure(app: string, error: unknown): FailureReport {
  if (error instanceof ConfigError) {
    return { text: error.format(), exitCode: 2, issues: error.issues };
  }
  if (error instanceof EnvError) {
    return { text: error.message, exitCode: 2, issues: [] };
  }
  const publicMessage = readProperty(error, 'publicMessage');
  if (typeof publicMessage === 'string') {
    return { text: `${app}: ${publicMessage}`, exitCode: 1, issues: [] };
  }
  return { text: `${app}: ${describeSystemError(error)}`, exitCode: 1, issues: [] };
}

function describeSystemError(error: unknown): string {
  const code = errorCode(error);
  const port = readProperty(error, 'port');
  if (readProperty(error, 'syscall') === 'listen' && typeof port === 'number') {
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: `Port ${port} is already in use.`,
      EACCES: `Port ${port} needs more privileges than this process has.`,
      EADDRNOTAVAIL: `Port ${port} cannot be opened: the host address is not one of this machine's.`,
    };
    return reasons[code] ?? `Port ${port} cannot be opened (${code}).`;
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return `A file or folder it needs may not be used by this user (${code}).`;
  }
  return `It stopped on an unexpected failure (${code}).`;
}

function readProperty(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
}
