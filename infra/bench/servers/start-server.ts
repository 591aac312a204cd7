import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface StartedServer {
  /** Of its listener; 0 when it has none but the one for health. */
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** What can be put under load: our apps as they ship, from `dist`, and what they are compared with. */
const ENTRIES = {
  receiver: new URL('../../../apps/receiver/dist/main.js', import.meta.url),
  api: new URL('../../../apps/api/dist/main.js', import.meta.url),
  worker: new URL('../../../apps/worker/dist/main.js', import.meta.url),
  'one-transaction-receiver': new URL('./one-transaction-receiver.ts', import.meta.url),
  'hono-floor': new URL('./hono-floor.ts', import.meta.url),
};

export interface ServerOptions {
  readonly entry: keyof typeof ENTRIES;
  /** Options of Node itself. */
  readonly nodeArgs?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where both its streams go. */
  readonly logFd: number;
}

const STOP_MS = 15_000;

/**
 * Starts a server as a process of its own, as `tidegate up` starts its apps: it tells its port over IPC and ends when this
 * process does. Rejects when it ends before it is ready.
 */
export async function startServer({ entry, nodeArgs = [], env, logFd }: ServerOptions): Promise<StartedServer> {
  const script = fileURLToPath(ENTRIES[entry]);
  const loader = script.endsWith('.ts') ? ['--import', import.meta.resolve('tsx')] : [];
  const child = spawn(process.execPath, [...nodeArgs, ...loader, script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', logFd, logFd, 'ipc'],
    detached: true,
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const endedEarly = exited.then(() => Promise.reject(new Error(`${entry} ended before it was ready`)));
  const port = await Promise.race([untilReady(child), endedEarly]);
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
    child.on('message', (message: { type: string; port?: number }) => {
      if (message.type === 'ready') resolve(message.port ?? 0);
    });
  });
}
