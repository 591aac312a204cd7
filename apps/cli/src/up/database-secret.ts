import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = 'database-secret';

/** Leaves the URL of the embedded database, password included, where commands of the same data folder find it (0600). */
export async function writeDatabaseSecret(dataDir: string, url: string): Promise<void> {
  const path = join(dataDir, NAME);
  await rm(path, { force: true });
  await writeFile(path, `${url}\n`, { mode: 0o600 });
}

/** The URL of the database that runs for this data folder; null when none does. */
export async function readDatabaseSecret(dataDir: string): Promise<string | null> {
  return readFile(join(dataDir, NAME), 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
}

export async function removeDatabaseSecret(dataDir: string): Promise<void> {
  await rm(join(dataDir, NAME), { force: true });
}
