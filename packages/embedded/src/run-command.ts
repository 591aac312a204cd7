import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { PostgresBinaries } from './find-binaries.ts';
import type { Launcher } from './launcher.ts';

export interface CommandOptions {
  command: string[];
  binaries: PostgresBinaries;
  launcher?: Launcher;
  input?: string;
}

export interface CommandResult {
  code: number | null;
  /** What it said on both outputs, capped at 64 KiB. */
  output: string;
}

const OUTPUT_LIMIT = 65_536;
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Starts a Postgres program through the launcher. It gets none of our environment: that may hold secrets. */
export function spawnThrough(options: CommandOptions, spawnOptions: SpawnOptions): ChildProcess {
  const [program = '', ...args] = [...(options.launcher?.prefix ?? []), ...options.command];
  const asUser = options.launcher?.spawnAs ?? null;
  return spawn(program, args, {
    ...spawnOptions,
    ...(asUser === null ? {} : { uid: asUser, gid: asUser }),
    ...(process.platform === 'win32'
      ? {}
      : { env: { PATH: SYSTEM_PATH, LC_ALL: 'C', TZ: 'UTC', LD_LIBRARY_PATH: options.binaries.libraryDir } }),
  });
}

/** Runs a program to its end. A program that cannot be started ends with code null. */
export function runCommand(options: CommandOptions): Promise<CommandResult> {
  return new Promise((resolve) => {
    const child = spawnThrough(options, { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_LIMIT);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code) => resolve({ code, output }));
  });
}
