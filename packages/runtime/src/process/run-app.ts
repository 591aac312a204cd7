import { type ProcessEnv, readProcessEnv } from '../config/read-process-env.ts';
import { createLogger, type Log, type LogDestination } from '../log/create-logger.ts';
import { createMetrics, type Metrics } from '../metrics/create-metrics.ts';
import { type CloseStep, closeInOrder } from './close-in-order.ts';
import { describeFailure } from './describe-failure.ts';

/** Everything a stopping process does must fit into ten seconds, the last log lines and a slow start included. */
const CLOSE_TIMEOUT_MS = 8000;
const FLUSH_TIMEOUT_MS = 500;
const STOP_TIMEOUT_MS = 9500;

export interface AppContext {
  readonly env: ProcessEnv;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Aborted as soon as the process is told to stop. */
  readonly stopping: AbortSignal;
  /** Of this process. */
  readonly pid: number;
  /** Stops the process as a signal would; for a loss it cannot go on from, with exit code 1. */
  stop(exitCode?: 0 | 1): void;
}

export interface RunningApp {
  /** Told to the parent over IPC, beside `type: 'ready'` and `app`; ports and URLs, never a secret. */
  readonly ready?: Readonly<Record<string, string | number | null>>;
  /** Run one after the other when the process stops: first what takes work in, last what the others need. */
  readonly close: readonly CloseStep[];
}

export interface AppOptions {
  readonly name: string;
  readonly start: (context: AppContext) => Promise<RunningApp>;
  /** Default `stderr`. */
  readonly logDestination?: LogDestination;
}

/** The message a started app sends to its parent over IPC. */
export interface ReadyMessage {
  readonly type: 'ready';
  readonly app: string;
  readonly [detail: string]: string | number | null;
}

/**
 * Runs one app as this process: reads the environment, starts, and on SIGTERM, SIGINT or the end of its parent closes in
 * order within ten seconds. Exit codes: 0 stopped, 1 failed (one sentence on stderr, or one log line with a code), 2 the
 * config or environment must be changed. No thrown message or stack is ever printed (I3).
 */
export async function runApp(options: AppOptions): Promise<void> {
  const { name, start, logDestination } = options;
  const stopping = new AbortController();
  let exitCode: 0 | 1 = 0;
  const stop = (code: 0 | 1 = 0) => {
    exitCode = code === 1 ? 1 : exitCode;
    stopping.abort();
  };
  let log: Log | null = null;
  try {
    const env = readProcessEnv();
    log = createLogger({ app: name, level: env.logLevel, ...(logDestination && { destination: logDestination }) });
    crashOnUncaught(log);
    const stopped = waitForStop(stopping, log, stop);
    const metrics = createMetrics({ app: name });
    const running = await start({ env, log, metrics, stopping: stopping.signal, pid: process.pid, stop });
    sendReady({ ...running.ready, type: 'ready', app: name });
    await stopped;
    await closeApp(running, log);
  } catch (error) {
    // A start that was told to stop has nothing to report: whoever stopped it knows why.
    if (!stopping.signal.aborted) {
      exitWithReport(name, error, log);
      return;
    }
    log?.info('app.stopped');
    log?.flushSync();
  }
  process.exit(exitCode);
}

/** Resolves when a signal, the parent's end or `stop` asks for it; later signals change nothing. */
async function waitForStop(stopping: AbortController, log: Log, stop: () => void): Promise<void> {
  const asked = new Promise<void>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const stopFor = (signal: string) => {
    if (!stopping.signal.aborted) {
      log.info('app.stopping', { signal });
    }
    stop();
  };
  process.on('SIGTERM', stopFor);
  process.on('SIGINT', stopFor);
  process.on('disconnect', () => stopFor('parent_gone'));
  if (process.send !== undefined && !process.connected) {
    stopFor('parent_gone');
  }
  await asked;
  setTimeout(() => {
    log.error('app.failed', { error: { code: 'stop_timeout' }, step: 'close' });
    log.flushSync();
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
}

function crashOnUncaught(log: Log): void {
  const crash = (error: unknown) => {
    log.error('app.failed', { error });
    log.flushSync();
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}

function sendReady(message: ReadyMessage): void {
  // The parent may be gone already; its `disconnect` then stops this process.
  process.send?.(message, undefined, undefined, () => undefined);
}

async function closeApp(running: RunningApp, log: Log): Promise<void> {
  const startedMs = performance.now();
  const { failures, timedOut } = await closeInOrder(running.close, CLOSE_TIMEOUT_MS);
  for (const code of failures) {
    log.warn('app.failed', { error: { code }, step: 'close' });
  }
  if (timedOut) {
    log.error('app.failed', { error: { code: 'close_timeout' }, step: 'close' });
  }
  log.info('app.stopped', { durationMs: Math.round(performance.now() - startedMs) });
  await closeInOrder([() => log.flush()], FLUSH_TIMEOUT_MS);
  log.flushSync();
  if (timedOut) {
    process.exit(1);
  }
}

function exitWithReport(name: string, error: unknown, log: Log | null): void {
  const { text, exitCode } = describeFailure(name, error);
  log?.flushSync();
  process.stderr.write(`${text}\n`, () => process.exit(exitCode));
}
