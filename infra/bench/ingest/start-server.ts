import { type ChildProcess, spawn } from 'node:child_process';

export interface StartedServer {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

const STOP_MS = 10_000;

/**
 * Starts a server as a process of its own, as `tidegate up` starts its apps: it tells its port over IPC, logs to `logFd`, and
 * ends when this process does. Rejects when it ends before it is ready.
 */
export async function startServer(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  logFd: number,
): Promise<StartedServer> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', logFd, logFd, 'ipc'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const port = await Promise.race([untilReady(child), exited.then(() => Promise.reject(endedEarly(args)))]);
  return {
    port,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGTERM');
      const killing = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(killing);
    },
  };
}

function untilReady(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.on('message', (message: { type: string; port: number }) => {
      if (message.type === 'ready') resolve(message.port);
    });
  });
}

function endedEarly(args: readonly string[]): Error {
  return new Error(`${args.at(-1) ?? 'a server'} ended before it was ready; build first: npm run build`);
}
