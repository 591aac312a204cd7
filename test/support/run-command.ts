import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './run-stack.ts';

const ENTRY = fileURLToPath(new URL('../../apps/cli/dist/main.js', import.meta.url));

/** Runs one `tidegate` command to its end. */
export function runCommand(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [ENTRY, ...args], {
      env: cleanEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.once('close', (code) => resolve({ code, output }));
  });
}
