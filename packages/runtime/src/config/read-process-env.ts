import { EnvError } from './config-error.ts';
import type { Env } from './resolve-values.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a process is told by its environment. Text values are null when the variable is unset or empty. */
export interface ProcessEnv {
  /** TIDEGATE_CONFIG, default `tidegate.yaml`. */
  readonly configFile: string;
  /** TIDEGATE_DATA_DIR, default `.tidegate`. */
  readonly dataDir: string;
  /** DATABASE_URL; null runs the embedded Postgres where an app can. */
  readonly databaseUrl: string | null;
  /** REDIS_URL; null runs the queue on Postgres. */
  readonly redisUrl: string | null;
  /** TIDEGATE_HOST, default `127.0.0.1`. */
  readonly host: string;
  /** TIDEGATE_PORT; 0 = any free port; null leaves the app's default. */
  readonly port: number | null;
  /** TIDEGATE_ADMIN_PORT; 0 = any free port; null leaves the app's default. */
  readonly adminPort: number | null;
  /** TIDEGATE_RECEIVER_PORT and TIDEGATE_API_PORT: what `tidegate up` gives its children. */
  readonly receiverPort: number | null;
  readonly apiPort: number | null;
  /** TIDEGATE_READY_FILE. */
  readonly readyFile: string | null;
  /** LOG_LEVEL, default `info`. */
  readonly logLevel: LogLevel;
}

/** Reads the process environment, the only place that does. Throws EnvError naming the variable, never its value. */
export function readProcessEnv(env: Env = process.env): ProcessEnv {
  return {
    configFile: readText(env, 'TIDEGATE_CONFIG') ?? 'tidegate.yaml',
    dataDir: readText(env, 'TIDEGATE_DATA_DIR') ?? '.tidegate',
    databaseUrl: readUrl(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: readUrl(env, 'REDIS_URL', ['redis:', 'rediss:']),
    host: readHost(env) ?? '127.0.0.1',
    port: readPort(env, 'TIDEGATE_PORT'),
    adminPort: readPort(env, 'TIDEGATE_ADMIN_PORT'),
    receiverPort: readPort(env, 'TIDEGATE_RECEIVER_PORT'),
    apiPort: readPort(env, 'TIDEGATE_API_PORT'),
    readyFile: readText(env, 'TIDEGATE_READY_FILE'),
    logLevel: readLogLevel(env),
  };
}

function readText(env: Env, variable: string): string | null {
  const value = env[variable];
  return value === undefined || value === '' ? null : value;
}

function readUrl(env: Env, variable: string, protocols: readonly string[]): string | null {
  const value = readText(env, variable);
  const [first, ...others] = protocols.map((protocol) => `${protocol}//`);
  if (value !== null && ![first, ...others].some((start) => start !== undefined && value.startsWith(start))) {
    throw new EnvError(variable, `a URL that starts with ${[first, ...others].join(' or ')}`);
  }
  return value;
}

function readHost(env: Env): string | null {
  const value = readText(env, 'TIDEGATE_HOST');
  if (value !== null && !/^[0-9A-Za-z.:-]{1,255}$/.test(value)) {
    throw new EnvError('TIDEGATE_HOST', 'an address or a host name');
  }
  return value;
}

function readPort(env: Env, variable: string): number | null {
  const value = readText(env, variable);
  if (value === null) {
    return null;
  }
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65_535) {
    throw new EnvError(variable, 'a whole number from 0 to 65535');
  }
  return Number(value);
}

function readLogLevel(env: Env): LogLevel {
  const value = readText(env, 'LOG_LEVEL') ?? 'info';
  const level = LOG_LEVELS.find((candidate) => candidate === value);
  if (level === undefined) {
    throw new EnvError('LOG_LEVEL', `one of ${LOG_LEVELS.join(', ')}`);
  }
  return level;
}
