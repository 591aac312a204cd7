import { spawn } from 'node:child_process';

export interface ParentWatch {
  stop(): void;
}

/**
 * Ends `pid` (SIGQUIT) when this process dies, for systems where the kernel cannot be asked to: a shell waits for the end of
 * a pipe that only we hold open.
 */
export function watchParent(pid: number): ParentWatch {
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill -QUIT "$0"', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
    env: {},
    detached: true,
  });
  // Without a shell (Windows) the next start still stops the left-over server.
  shell.on('error', () => {});
  shell.unref();
  return { stop: () => void shell.kill('SIGKILL') };
}
