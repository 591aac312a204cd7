import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from './errno-of.ts';
import { KEY_FILE_NAMES, type KeyFile, type KeyKind, parseKeyFile } from './key-file.ts';
import { keyringCorrupt } from './keyring-corrupt.ts';

/** What a folder holds of the key files asked for. */
export type FoundKeyFiles<K extends KeyKind> =
  | { readonly state: 'complete'; readonly keyring: string; readonly files: Readonly<Record<K, KeyFile>> }
  | { readonly state: 'partial'; readonly missing: KeyKind }
  | { readonly state: 'absent' };

/**
 * Reads and checks the key files of the given kinds, and no other file.
 * @throws AppError `keyring_corrupt` for a file that is unreadable, damaged or from another keyring.
 */
export async function readKeyFiles<K extends KeyKind>(dir: string, kinds: readonly K[]): Promise<FoundKeyFiles<K>> {
  const found = new Map<K, KeyFile>();
  for (const kind of kinds) {
    const file = await readKeyFile(dir, kind);
    if (file !== null) found.set(kind, file);
  }
  const [first] = found.values();
  if (first === undefined) return { state: 'absent' };
  const missing = kinds.find((kind) => !found.has(kind));
  if (missing !== undefined) return { state: 'partial', missing };
  const odd = kinds.find((kind) => found.get(kind)?.keyring !== first.keyring);
  if (odd !== undefined) throw keyringCorrupt(dir, odd, { what: 'other_keyring' });
  return { state: 'complete', keyring: first.keyring, files: Object.fromEntries(found) as Record<K, KeyFile> };
}

async function readKeyFile(dir: string, kind: KeyKind): Promise<KeyFile | null> {
  let text: string;
  try {
    text = await readFile(join(dir, KEY_FILE_NAMES[kind]), 'utf8');
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
    throw keyringCorrupt(dir, kind, { what: 'unreadable', errno });
  }
  const file = parseKeyFile(kind, text);
  if (typeof file === 'string') throw keyringCorrupt(dir, kind, { what: 'flawed', flaw: file });
  return file;
}
