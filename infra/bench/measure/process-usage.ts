import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own tick is. */
const MS_PER_TICK = 10;

/** CPU time of a process, user and system, and of its children that are still there; milliseconds. 0 where there is no /proc. */
export function cpuTimeMs(pid: number): number {
  const own = readStat(pid);
  if (own === null) return 0;
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === pid);
  return children.reduce((sum, child) => sum + (child?.cpuMs ?? 0), own.cpuMs);
}

/** The most memory a process ever held (VmHWM), in MiB; null where there is no /proc. */
export function peakMemoryMiB(pid: number): number | null {
  const kiB = /^VmHWM:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kiB === undefined ? null : Number(kiB) / 1024;
}

function readStat(pid: number): { parent: number; cpuMs: number } | null {
  // The command's name stands in brackets and may hold anything; fields are counted from behind it.
  const fields = read(`/proc/${pid}/stat`)
    ?.replace(/^.*\) /s, '')
    .split(' ');
  if (fields === undefined) return null;
  return { parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK };
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
