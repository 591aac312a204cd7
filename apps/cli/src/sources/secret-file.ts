import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceSecretFile } from '@tidegate/runtime';

/** The file of a secret that was made because the config gives none; `tidegate up` and the receiver read it. */
function secretFileName(source: string): string {
  return `source-secret-${source}`;
}

/** The secret in that file, or null when there is none. */
export async function readMadeSecret(dataDir: string, source: string): Promise<string | null> {
  try {
    const text = (await readFile(join(dataDir, secretFileName(source)), 'utf8')).trim();
    return text === '' ? null : text;
  } catch {
    return null;
  }
}

export function writeMadeSecret(dataDir: string, source: string, secret: string): Promise<void> {
  return replaceSecretFile(dataDir, secretFileName(source), secret);
}
