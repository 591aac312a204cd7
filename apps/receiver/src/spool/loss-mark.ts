import { access, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/** Remembers, over a restart, that deliveries were lost which the store was never told of. */
export interface LossMark {
  /** Whether something was lost since `clear`. */
  lost(): boolean;
  /** What was lost is lost at once for this process, and on disk when this resolves; never rejects. */
  set(): Promise<void>;
  /** How often something was lost since this process began, for `clear`. */
  losses(): number;
  /** The store has been told of so many losses: gates were shut for them. One that came since stays unforgotten. */
  clear(told: number): Promise<void>;
}

const FILE = 'intact';

/**
 * Opens the mark of a spool. It is the *absence* of a file: what is lost is mostly lost because the disk is full, when a
 * file can be removed and none be made.
 * @param fresh whether the spool was made just now, so that it cannot have lost anything
 */
export async function openLossMark(dir: string, fresh: boolean): Promise<LossMark> {
  const path = join(dir, FILE);
  const unmark = () => rm(path, { force: true }).then(() => syncFolder(dir));
  const clear = async (told: number) => {
    if (told !== losses) return;
    const file = await open(path, 'w', 0o600);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(dir);
    if (told === losses) lost = false;
    else await unmark();
  };
  let lost = false;
  let losses = 0;
  if (fresh) await clear(losses);
  else
    lost = await access(path).then(
      () => false,
      () => true,
    );
  return {
    lost: () => lost,
    losses: () => losses,
    async set() {
      lost = true;
      losses += 1;
      await unmark().catch(() => undefined);
    },
    clear,
  };
}
