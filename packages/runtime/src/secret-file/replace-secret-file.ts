import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Replaces a secret kept in a file of its own (0600), in one step: whoever reads it gets the old secret or the new one, and
 * a power cut leaves one of the two.
 */
export async function replaceSecretFile(dir: string, name: string, secret: string): Promise<void> {
  const draft = join(dir, `.${name}.${randomUUID()}`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${secret}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(dir, name));
  } finally {
    await rm(draft, { force: true });
  }
}
