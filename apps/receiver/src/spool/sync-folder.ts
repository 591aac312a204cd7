import { open } from 'node:fs/promises';

/** Makes the names in a folder survive a power cut, where the file system can: EINVAL says that it need not. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
  } finally {
    await folder.close();
  }
}
