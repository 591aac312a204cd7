import { mkdir } from 'node:fs/promises';
import { AppError } from '@tidegate/core';

/** Makes the data folder (0700) if it is missing. Throws AppError `data_dir_unusable`, one sentence for a person. */
export async function openDataDir(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    throw new AppError({
      code: 'data_dir_unusable',
      publicMessage: `The data folder ${dataDir} cannot be used (${code}); choose another with --data-dir.`,
    });
  }
}
