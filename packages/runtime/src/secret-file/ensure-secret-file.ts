import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A secret's file holds nothing; says what to do about it. */
class SecretFileEmpty extends Error {
  readonly code = 'secret_file_empty';
  readonly publicMessage: string;

  constructor(path: string) {
    super(`${path} is empty`);
    this.publicMessage = `The file ${path} is empty; put it back from a backup, or remove it to have a new one made.`;
  }
}

/**
 * Reads a secret kept in a file of its own (0600 in a 0700 folder), making it first if it is not there. Of several
 * processes that start together one wins and all get the same secret.
 * @param name file name; holds `secret` or `key`, so that whoever looks at the folder knows what it is
 * @throws Error `secret_file_empty`, with one sentence as `publicMessage`
 */
export async function ensureSecretFile(
  dir: string,
  name: string,
  make: () => string,
): Promise<{ secret: string; created: boolean }> {
  const path = join(dir, name);
  const present = await readSecret(path);
  if (present !== null) return { secret: present, created: false };
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const draft = join(dir, `.${name}.${randomUUID()}`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(`${make()}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
    return { secret: (await readSecret(path)) ?? '', created: true };
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
    return { secret: (await readSecret(path)) ?? '', created: false };
  } finally {
    await rm(draft, { force: true });
  }
}

/** An empty file is one that was damaged: nothing may be protected by an empty secret. */
/** The secret in a file, or null when there is none. */
export async function readSecretFile(dir: string, name: string): Promise<string | null> {
  return readSecret(join(dir, name));
}

async function readSecret(path: string): Promise<string | null> {
  try {
    const text = (await readFile(path, 'utf8')).trim();
    if (text === '') throw new SecretFileEmpty(path);
    return text;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
