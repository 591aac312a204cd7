import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface StartedApp {
  readonly pid: number;
  /** Of its listener; 0 when it has none but the one for health. */
  readonly port: number;
  stop(): Promise<void>;
}

const STOP_MS = 15_000;

/** Starts what ships of an app as a process of its own; it tells over IPC that it is ready, and ends when this process does. */
export async function startApp(
  app: 'receiver' | 'worker',
  env: Readonly<Record<string, string>>,
  logFd: number,
): Promise<StartedApp> {
  const script = fileURLToPath(new URL(`../../../apps/${app}/dist/main.js`, import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', logFd, logFd, 'ipc'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const endedEarly = exited.then(() => Promise.reject(new Error(`${app} ended before it was ready`)));
  const port = await Promise.race([untilReady(child), endedEarly]);
  return {
    pid: child.pid ?? 0,
    port,
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
    child.on('message', (message: { type: string; port?: number }) => {
      if (message.type === 'ready') resolve(message.port ?? 0);
    });
  });
}
