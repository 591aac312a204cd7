import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** A process that has to do with a folder, and how it was started. */
export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Every process, other than this one, that names `folder` in its command line, its environment or as the folder it works in:
 * all that a stack started on this folder could have left behind, whatever its parent is.
 */
export function findProcesses(folder: string): FoundProcess[] {
  if (process.platform !== 'linux') return findByCommand(folder);
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid || !isAlive(pid)) return [];
    const command = read(pid, 'cmdline').replaceAll('\0', ' ').trim();
    const named =
      command.includes(folder) || read(pid, 'environ').includes(folder) || workingFolder(pid).includes(folder);
    return named ? [{ pid, command }] : [];
  });
}

/** Whether a process runs; one that has ended and was not waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

function read(pid: number, file: 'cmdline' | 'environ'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function findByCommand(folder: string): FoundProcess[] {
  const lines = execFileSync('ps', ['-axo', 'pid=,command='], { encoding: 'utf8', maxBuffer: 16_777_216 }).split('\n');
  return lines
    .filter((line) => line.includes(folder))
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim() }))
    .filter(({ pid }) => pid !== process.pid);
}
