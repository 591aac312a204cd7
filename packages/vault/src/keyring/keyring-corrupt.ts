import { join } from 'node:path';
import { AppError } from '@tidegate/core';
import { KEY_FILE_NAMES, type KeyFileFlaw, type KeyKind } from './key-file.ts';

/** What can be wrong with one file of a keyring; `unreadable` carries the system's error code. */
export type KeyringFault =
  | { readonly what: 'missing' | 'unmatched_pair' | 'other_keyring' }
  | { readonly what: 'unreadable'; readonly errno: string }
  | { readonly what: 'flawed'; readonly flaw: KeyFileFlaw };

/** The error for a keyring that cannot be used as it stands: one sentence naming the file, and never a byte of it. */
export function keyringCorrupt(dir: string, kind: KeyKind, fault: KeyringFault): AppError {
  const name = KEY_FILE_NAMES[kind];
  return new AppError({
    code: 'keyring_corrupt',
    publicMessage: `The keyring file ${name} ${describe(fault)}.`,
    detail: join(dir, name),
  });
}

function describe(fault: KeyringFault): string {
  switch (fault.what) {
    case 'missing':
      return 'is missing while other files of the keyring exist; put it back from a backup';
    case 'unmatched_pair':
      return 'does not belong to the public sealing key beside it; put both back from one backup';
    case 'other_keyring':
      return 'belongs to another keyring than the files beside it; put all of them back from one backup';
    case 'unreadable':
      return `cannot be read (${fault.errno})`;
    case 'flawed':
      return `${describeFlaw(fault.flaw)}; put it back from a backup`;
  }
}

function describeFlaw(flaw: KeyFileFlaw): string {
  switch (flaw) {
    case 'not_json':
      return 'is damaged (it is not JSON)';
    case 'unknown_format':
      return 'is damaged or was written by another version of Tidegate';
    case 'incomplete':
      return 'is damaged (a field is missing or malformed)';
    case 'wrong_kind':
      return 'holds a key of another kind';
    case 'checksum_mismatch':
      return 'is damaged (its checksum does not match)';
  }
}
