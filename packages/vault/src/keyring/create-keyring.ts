import { AppError } from '@tidegate/core';
import { errnoOf } from './errno-of.ts';
import { KEY_FILE_NAMES, type KeyKind } from './key-file.ts';
import { keyringCorrupt } from './keyring-corrupt.ts';
import { newKeyFiles } from './new-key-files.ts';
import { finishPublishing, publishKeyFiles } from './publish-key-files.ts';
import { type FoundKeyFiles, readKeyFiles } from './read-key-files.ts';

const KINDS = Object.keys(KEY_FILE_NAMES) as KeyKind[];

/**
 * Makes every key file in `dir` (files 0600, folder 0700) unless the keyring exists, in which case each file is
 * checked. Any number of processes may call it at once: one set of keys wins, and exactly one caller gets `created:
 * true`. It looks at all files, the private one too, so it is for the process that sets the data folder up; others call
 * `loadKeyring`.
 * @throws AppError `keyring_corrupt` when some files exist and others do not, or one is unreadable, damaged or from
 * another keyring; `keyring_not_writable` when the folder cannot be written.
 */
export async function createKeyring(dir: string): Promise<{ created: boolean }> {
  const found = await readKeyFiles(dir, KINDS);
  const fresh = found.state === 'absent' ? newKeyFiles() : null;
  let created: boolean;
  try {
    created = fresh === null ? await finishPublishing(dir) : await publishKeyFiles(dir, fresh);
  } catch (error) {
    throw notWritable(dir, error);
  }
  requireComplete(dir, found.state === 'complete' ? found : await readKeyFiles(dir, KINDS));
  return { created };
}

function requireComplete(dir: string, found: FoundKeyFiles<KeyKind>): void {
  if (found.state === 'complete') return;
  throw keyringCorrupt(dir, found.state === 'partial' ? found.missing : 'fingerprint', { what: 'missing' });
}

function notWritable(dir: string, error: unknown): AppError {
  return new AppError({
    code: 'keyring_not_writable',
    publicMessage: `The keyring cannot be written to the data folder (${errnoOf(error)}).`,
    detail: dir,
  });
}
