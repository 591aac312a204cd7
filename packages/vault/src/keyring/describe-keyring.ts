import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { KEY_FILE_NAMES } from './key-file.ts';
import { keyringCorrupt } from './keyring-corrupt.ts';
import { keyringMissing } from './load-keyring.ts';
import { readKeyFiles } from './read-key-files.ts';
import { recipientKeyId } from './recipient-key-id.ts';

/** What may be shown of a keyring: numbers and public ids. */
export interface KeyringDescription {
  readonly id: string;
  readonly fingerprint: { readonly current: number; readonly versions: readonly number[] };
  /** Ids of the sealing keys, `rk_…`, oldest first. */
  readonly sealing: { readonly current: string; readonly keys: readonly string[] };
  /** When a key was last rotated, made or retired. */
  readonly changedAt: Date;
}

const KINDS = ['fingerprint', 'sealingPublic'] as const;

/**
 * Describes the two kinds of key that rotate.
 * @throws AppError `keyring_missing` or `keyring_corrupt`
 */
export async function describeKeyring(dir: string): Promise<KeyringDescription> {
  const found = await readKeyFiles(dir, KINDS);
  if (found.state === 'absent') throw keyringMissing(dir);
  if (found.state === 'partial') throw keyringCorrupt(dir, found.missing, { what: 'missing' });
  const { fingerprint, sealingPublic } = found.files;
  const changes = await Promise.all(KINDS.map((kind) => stat(join(dir, KEY_FILE_NAMES[kind]))));
  return {
    id: found.keyring,
    fingerprint: { current: fingerprint.current, versions: fingerprint.versions.map(({ version }) => version) },
    sealing: {
      current: sealingPublic.versions
        .filter(({ version }) => version === sealingPublic.current)
        .map(({ key }) => recipientKeyId(key))
        .join(),
      keys: sealingPublic.versions.map(({ key }) => recipientKeyId(key)),
    },
    changedAt: new Date(Math.max(...changes.map(({ mtimeMs }) => mtimeMs))),
  };
}
