import pino from 'pino';
import type { LogLevel } from '../config/read-process-env.ts';
import { cleanField } from './clean-field.ts';
import { EVENT_CATALOG, type LogEvent, type LogFields } from './event-catalog.ts';

type Write = <E extends LogEvent>(event: E, fields?: LogFields<E>) => void;

/** Writes JSON lines: `{level, time, app, pid, event, …}`. Only fields of the event catalog get through (I3). */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
  /** Resolves once what was logged so far is handed to the operating system. */
  flush(): Promise<void>;
  /** Hands over what is left before it returns: the last thing a dying process does. */
  flushSync(): void;
}

/** Where lines go: a standard stream, or anything that takes one line at a time. */
export type LogDestination = 'stdout' | 'stderr' | { write(line: string): void };

export interface LoggerOptions {
  readonly app: string;
  readonly level: LogLevel;
  /** Default `stderr`. */
  readonly destination?: LogDestination;
}

/** Creates the logger of one app. Lines leave asynchronously, so that a slow pipe does not slow a request. */
export function createLogger({ app, level, destination = 'stderr' }: LoggerOptions): Log {
  const stream = typeof destination === 'string' ? openStream(destination) : null;
  const logger = pino(
    {
      level,
      base: { app, pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    stream ?? (destination as pino.DestinationStream),
  );
  const writeAt =
    (method: 'debug' | 'info' | 'warn' | 'error'): Write =>
    (event, fields) => {
      if (logger.isLevelEnabled(method)) {
        logger[method]({ event, ...cleanFields(event, fields ?? {}) });
      }
    };
  return {
    debug: writeAt('debug'),
    info: writeAt('info'),
    warn: writeAt('warn'),
    error: writeAt('error'),
    flush: () => new Promise((resolve) => (stream === null ? resolve() : stream.flush(() => resolve()))),
    flushSync: () => flushSync(stream),
  };
}

type Stream = ReturnType<typeof pino.destination>;

function openStream(name: 'stdout' | 'stderr'): Stream {
  const stream = pino.destination({ dest: name === 'stdout' ? 1 : 2, sync: false });
  // A closed pipe must not end the process that logs into it.
  stream.on('error', () => undefined);
  return stream;
}

function flushSync(stream: Stream | null): void {
  try {
    stream?.flushSync();
  } catch {
    // The stream is gone or not ready: there is nowhere left to say so.
  }
}

function cleanFields(event: LogEvent, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const cleaned: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(EVENT_CATALOG[event] ?? {})) {
    const value = Object.hasOwn(fields, name) ? cleanField(kind, fields[name]) : undefined;
    if (value !== undefined) {
      cleaned[name] = value;
    }
  }
  return cleaned;
}
