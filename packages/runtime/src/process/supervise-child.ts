import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { childEnv } from '../config/child-env.ts';
import type { Log } from '../log/create-logger.ts';
import type { ReadyMessage } from './run-app.ts';

export interface ChildSpec {
  readonly name: string;
  /** Path of the JavaScript file to run with this Node. */
  readonly entry: string;
  /** Added to this process's own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** What a restart must keep, told by the first start: its ports. */
  readonly pin: (ready: ReadyMessage) => Readonly<Record<string, string>>;
  /** File descriptor for both of its streams; its own stderr and stdout are shared with this process when absent. */
  readonly outputFd?: number;
  /** Ends a start that is under way; one that has succeeded is ended by `stop`. */
  readonly signal?: AbortSignal;
}

export interface SupervisedChild {
  readonly pid: number;
  readonly ready: ReadyMessage;
  /** SIGTERM, then SIGKILL after `graceMs`; not restarted any more. */
  stop(graceMs: number): Promise<void>;
}

/** A child that ended before it was ready; it has said why on its own stderr. */
export class ChildFailed extends Error {
  readonly code = 'child_failed';
  readonly exitCode: number;
  readonly publicMessage: string;

  constructor(name: string, exitCode: number) {
    super(`${name} ended before it was ready`);
    this.exitCode = exitCode;
    this.publicMessage = `${name} could not start; its own message is above.`;
  }
}

const STABLE_AFTER_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1000;
const ABORT_GRACE_MS = 2000;

/**
 * Starts a child process and keeps it running: one that dies is started again on its ports, at once and then with growing
 * pauses of at most a second. It gets an IPC channel, so it notices the death of this process, whatever the cause.
 * @param onRestart called after each restart, with the child ready again
 * @throws ChildFailed when the first start fails: then nothing is restarted
 */
export async function superviseChild(spec: ChildSpec, log: Log, onRestart: () => void): Promise<SupervisedChild> {
  let stopping = false;
  let child = launch(spec, {});
  let ready = await untilStarted(spec, child);
  const pinned = spec.pin(ready);
  log.info('child.started', { child: spec.name, childPid: child.pid ?? 0, attempt: 1 });
  const ended = keepRunning();

  async function keepRunning(): Promise<void> {
    for (let attempt = 2, pauseMs = 0; ; attempt += 1) {
      const startedMs = performance.now();
      const { exitCode, signal } = await untilExit(child);
      if (stopping) return;
      log.warn('child.exited', { child: spec.name, childPid: child.pid ?? 0, exitCode, signal });
      pauseMs =
        performance.now() - startedMs > STABLE_AFTER_MS ? 0 : Math.min(LONGEST_PAUSE_MS, pauseMs * 2 || FIRST_PAUSE_MS);
      await delay(pauseMs);
      if (stopping) return;
      child = launch(spec, pinned);
      try {
        ready = await untilReady(spec.name, child);
        log.info('child.started', { child: spec.name, childPid: child.pid ?? 0, attempt });
        onRestart();
      } catch {
        // It ended again; the loop sees its exit and waits longer.
      }
    }
  }

  return {
    get pid() {
      return child.pid ?? 0;
    },
    get ready() {
      return ready;
    },
    async stop(graceMs) {
      stopping = true;
      child.kill('SIGTERM');
      const killing = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await untilExit(child);
      clearTimeout(killing);
      await ended;
    },
  };
}

/** A child told to stop while it starts gets a moment to end in order; it has promised nothing to anybody yet. */
async function untilStarted(spec: ChildSpec, child: ChildProcess): Promise<ReadyMessage> {
  const abort = () => {
    child.kill('SIGTERM');
    setTimeout(() => child.kill('SIGKILL'), ABORT_GRACE_MS).unref();
  };
  spec.signal?.addEventListener('abort', abort, { once: true });
  if (spec.signal?.aborted) abort();
  try {
    return await untilReady(spec.name, child);
  } finally {
    spec.signal?.removeEventListener('abort', abort);
  }
}

/** Detached: Ctrl-C in a terminal goes to this process alone, which then stops its children in order. */
function launch(spec: ChildSpec, pinned: Readonly<Record<string, string>>): ChildProcess {
  const output = spec.outputFd ?? 'inherit';
  return spawn(process.execPath, [spec.entry], {
    env: childEnv(spec.env, pinned),
    stdio: ['ignore', output, output, 'ipc'],
    detached: true,
  });
}

function untilReady(name: string, child: ChildProcess): Promise<ReadyMessage> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: ReadyMessage) => {
      if (message.type === 'ready') resolve(message);
    });
    child.once('error', reject);
    untilExit(child).then(({ exitCode }) => reject(new ChildFailed(name, exitCode ?? 1)));
  });
}

function untilExit(child: ChildProcess): Promise<{ exitCode: number | null; signal: string | null }> {
  if (child.exitCode !== null || child.signalCode !== null) {
    return Promise.resolve({ exitCode: child.exitCode, signal: child.signalCode });
  }
  return new Promise((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}
