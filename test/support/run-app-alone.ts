import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, type Stack } from './run-stack.ts';

export interface LoneApp {
  readonly pid: number;
  /** Of its public listener; null for the worker. */
  readonly url: string | null;
  readonly adminUrl: string;
  /** How long it took from its start until it was ready. */
  readonly startMs: number;
  /** What it printed so far. */
  output(): string;
  /** SIGTERM, or another signal, and its end. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts one more process of an app on the stores, keys and config of a stack, as a second machine would have. */
export async function runAppAlone(
  stack: Stack,
  app: 'receiver' | 'api' | 'worker',
  env: Readonly<Record<string, string>> = {},
): Promise<LoneApp> {
  const startedAt = performance.now();
  const entry = fileURLToPath(new URL(`../../apps/${app}/dist/main.js`, import.meta.url));
  const child = spawn(process.execPath, [entry], {
    env: cleanEnvironment({
      TIDEGATE_CONFIG: join(stack.folder, 'tidegate.yaml'),
      // A receiver has a data folder to itself, for its spool.
      TIDEGATE_DATA_DIR: app === 'receiver' ? copyKeys(stack) : stack.dataDir,
      DATABASE_URL: databaseUrl(stack, env),
      TIDEGATE_PORT: '0',
      TIDEGATE_ADMIN_PORT: '0',
      ...env,
    }),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const exited = once(child, 'exit');
  const ready = await Promise.race([once(child, 'message'), exited.then(() => null)]);
  if (ready === null) throw new Error(`${app} ended while starting: ${output}`);
  const { port, adminPort } = ready[0] as { port?: number; adminPort: number };
  return {
    pid: child.pid ?? 0,
    url: port === undefined ? null : `http://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    startMs: performance.now() - startedAt,
    output: () => output,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      await exited;
    },
  };
}

/** The URL of the stack's database: given to it, or left by it for commands of the same data folder. */
export function databaseUrl(stack: Stack, env: Readonly<Record<string, string>> = {}): string {
  return env.DATABASE_URL ?? readFileSync(join(stack.dataDir, 'database-secret'), 'utf8').trim();
}

/** A data folder as it is prepared for another machine: the same keys and path secrets. */
function copyKeys(stack: Stack): string {
  const dataDir = mkdtempSync(join(stack.folder, 'data-'));
  for (const name of readdirSync(stack.dataDir)) {
    if (name === 'keyring' || name.startsWith('source-secret-'))
      cpSync(join(stack.dataDir, name), join(dataDir, name), { recursive: true });
  }
  return dataDir;
}
