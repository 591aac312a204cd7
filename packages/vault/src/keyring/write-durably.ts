import { open } from 'node:fs/promises';
import { errnoOf } from './errno-of.ts';

/** Writes a new file (0600) whose content survives a power cut; its name does once `syncFolder` has resolved. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Makes the names in a folder survive a power cut, where the file system can: EINVAL and EROFS say that it cannot or
 * need not.
 */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if (!['EINVAL', 'EROFS'].includes(errnoOf(error))) throw error;
  } finally {
    await folder.close();
  }
}
