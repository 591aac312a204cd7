import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * Runs a program as if it were this process, and gives its exit code (128 + n for a signal). The program gets a session of its
 * own, so that a Ctrl-C reaches it once, from us, and never a second time from the terminal. It also gets a channel to us: when
 * that closes, we are gone, even by SIGKILL, and it must end.
 */
export function runForeground(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], detached: true });
    const forward = (signal) => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
    child.on('error', (error) => {
      console.error(`tidegate: ${command} did not start: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code, signal) => resolve(code ?? 128 + (constants.signals[signal] ?? 0)));
  });
}
