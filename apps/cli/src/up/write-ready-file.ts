import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@tidegate/core';

/** Where everything is, for scripts: written when all accept requests, again after a restart, removed at the end. */
export interface ReadyFile {
  readonly receiverUrl: string;
  readonly apiUrl: string;
  /** Where the on-call page is. */
  readonly pageUrl: string;
  readonly adminKey: string;
  readonly sources: readonly { readonly name: string; readonly webhookUrl: string }[];
  /** Null where not run by us. */
  readonly pids: Readonly<Record<'parent' | 'receiver' | 'api' | 'worker' | 'postgres' | 'redis', number | null>>;
  /** Health and metrics of the processes without a public port. */
  readonly adminUrls: Readonly<Record<'receiver' | 'worker' | 'api', string | null>>;
}

/**
 * Replaces the file in one step: a reader sees the old one or the new one, never half of either. It holds a key: 0600.
 * Throws AppError `ready_file_unwritable`.
 */
export async function writeReadyFile(path: string, content: ReadyFile): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown';
    throw new AppError({
      code: 'ready_file_unwritable',
      publicMessage: `The ready file ${path} cannot be written (${code}); choose another place with --ready-file.`,
    });
  }
}
