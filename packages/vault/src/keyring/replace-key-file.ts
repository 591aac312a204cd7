import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@tidegate/core';
import { newId } from '../naming/new-id.ts';
import { errnoOf } from './errno-of.ts';
import { KEY_FILE_NAMES, type KeyFile, renderKeyFile } from './key-file.ts';
import { syncFolder, writeDurably } from './write-durably.ts';

const DRAFT = /^\.next_[a-z2-7]+-.*-key\.json$/;

/**
 * Replaces one key file in one step: whoever reads it sees the old content or the new one, and a power cut leaves one
 * of the two. Drafts of a process that died while writing are removed: they hold keys that nothing was sealed to.
 * @throws AppError `keyring_not_writable`
 */
export async function replaceKeyFile(dir: string, file: KeyFile): Promise<void> {
  const name = KEY_FILE_NAMES[file.kind];
  const draft = join(dir, `.${newId('next')}-${name}`);
  try {
    await removeDrafts(dir);
    await writeDurably(draft, renderKeyFile(file));
    await rename(draft, join(dir, name));
    await syncFolder(dir);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw new AppError({
      code: 'keyring_not_writable',
      publicMessage: `The keyring file ${name} cannot be replaced (${errnoOf(error)}); it is as it was.`,
      detail: join(dir, name),
    });
  }
}

async function removeDrafts(dir: string): Promise<void> {
  for (const name of await readdir(dir)) if (DRAFT.test(name)) await rm(join(dir, name), { force: true });
}
