import { access, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/** Remembers, over a restart, that deliveries were lost which the store was never told of. */
export interface LossMark {
  /** Whether something was lost since `clear`. */
  lost(): boolean;
  /** What was lost is lost at once for this process, and on disk when this resolves; never rejects. */
  set(): Promise<void>;
  /** The store has been told: gates were shut for it. */
  clear(): Promise<void>;
}

const FILE = 'intact';

/**
 * Opens the mark of a spool. It is the *absence* of a file: what is lost is mostly lost because the disk is full, when a
 * file can be removed and none be made.
 * @param fresh whether the spool was made just now, so that it cannot have lost anything
 */
export async function openLossMark(dir: string, fresh: boolean): Promise<LossMark> {
  const path = join(dir, FILE);
  const clear = async () => {
    const file = await open(path, 'w', 0o600);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(dir);
    lost = false;
  };
  let lost = false;
  if (fresh) await clear();
  else
    lost = await access(path).then(
      () => false,
      () => true,
    );
  return {
    lost: () => lost,
    async set() {
      lost = true;
      await rm(path, { force: true })
        .then(() => syncFolder(dir))
        .catch(() => undefined);
    },
    clear,
  };
}
