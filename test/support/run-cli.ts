import { vi } from 'vitest';
import { runProgram } from '../../apps/cli/src/run-program.ts';

/** What one command line did. */
export interface CliRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The JSON that it printed. */
  json<T = Record<string, unknown>>(): T;
}

/**
 * Runs a command line of `tidegate` in this process, with an environment of its own; one at a time, for it catches what the
 * process prints.
 * @param onStdout told of what it prints, as it does
 */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  onStdout: (text: string) => void = () => {},
): Promise<CliRun> {
  const before = { ...process.env };
  const printed = { stdout: '', stderr: '' };
  const restore = [
    catchConsole('log', (text) => {
      printed.stdout += text;
      onStdout(text);
    }),
    catchConsole('error', (text) => {
      printed.stderr += text;
    }),
    catchStream('stdout', (text) => {
      printed.stdout += text;
    }),
    catchStream('stderr', (text) => {
      printed.stderr += text;
    }),
  ];
  for (const name of Object.keys(process.env))
    if (/^(TIDEGATE_|DATABASE_URL$|REDIS_URL$)/.test(name)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = undefined;
  try {
    await runProgram(args);
    const code = Number(process.exitCode ?? 0);
    return { code, ...printed, json: <T>() => JSON.parse(printed.stdout) as T };
  } finally {
    process.exitCode = undefined;
    process.env = before;
    for (const undo of restore) undo();
  }
}

function catchConsole(method: 'log' | 'error', add: (text: string) => void): () => void {
  const spy = vi.spyOn(console, method).mockImplementation((line: unknown) => add(`${String(line)}\n`));
  return () => spy.mockRestore();
}

function catchStream(name: 'stdout' | 'stderr', add: (text: string) => void): () => void {
  const spy = vi.spyOn(process[name], 'write').mockImplementation((chunk: string | Uint8Array) => {
    add(chunk.toString());
    return true;
  });
  return () => spy.mockRestore();
}
