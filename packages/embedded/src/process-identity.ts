import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When a process began, as a text that no later process of the same number shares, or null when none runs (a zombie counts
 * as gone). Where the system cannot tell, any running process gives `unknown`.
 */
export function readProcessStart(pid: number): string | null {
  if (process.platform === 'linux') return readLinuxStart(pid);
  if (process.platform === 'win32') return isSignalable(pid) ? 'unknown' : null;
  try {
    const line = execFileSync('/bin/ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    const [state = '', ...start] = line.split(/\s+/);
    return line === '' || state.startsWith('Z') ? null : start.join(' ');
  } catch {
    return null;
  }
}

function readLinuxStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command's name may hold blanks and brackets, so count from its last bracket: field 3 is the state, 22 the start.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${readBootId()}:${fields[19]}`;
  } catch {
    return null;
  }
}

/** Start times count from boot, so two boots must not look alike. */
function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

function isSignalable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
