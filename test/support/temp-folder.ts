import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PREFIX = 'tidegate-test-';

/** A new folder (0700) in the system's temp folder, named after this process so that a later run can sweep it. */
export function makeTempFolder(purpose: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${purpose}-`));
}

/** Removes the folders of test runs that were killed before they could tidy up. */
export async function sweepTempFolders(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = name.startsWith(PREFIX) ? Number.parseInt(name.slice(PREFIX.length), 10) : Number.NaN;
    if (!Number.isNaN(pid) && !isRunning(pid))
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
