import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { AppError } from '@tidegate/core';
import type { KeyFile, KeyKind } from './key-file.ts';
import { type Keyring, LOOKUP_PURPOSES, type LookupKeys, type LookupPurpose, type Recipient } from './keyring.ts';
import { keyringCorrupt } from './keyring-corrupt.ts';
import { readKeyFiles } from './read-key-files.ts';
import { recipientKeyId } from './recipient-key-id.ts';

export const SEAL_SIDE = [
  'fingerprint',
  'observation',
  'lookup',
  'sealingPublic',
] as const satisfies readonly KeyKind[];

/**
 * Loads what a process needs to name and to seal. It never opens the private sealing key's file, which may be absent
 * here.
 * @throws AppError `keyring_missing` when the folder holds none of the files (call `createKeyring` first);
 * `keyring_corrupt` when one of them is missing, unreadable, damaged or from another keyring.
 */
export async function loadKeyring(dir: string): Promise<Keyring> {
  const found = await readKeyFiles(dir, SEAL_SIDE);
  if (found.state === 'absent') throw keyringMissing(dir);
  if (found.state === 'partial') throw keyringCorrupt(dir, found.missing, { what: 'missing' });
  const { fingerprint, observation, lookup, sealingPublic } = found.files;
  return {
    id: found.keyring,
    fingerprint: {
      current: fingerprint.current,
      keys: new Map(fingerprint.versions.map(({ version, key }) => [version, takeKey(key)])),
    },
    observation: takeKey(currentKey(observation)),
    ...deriveFromLookupRoot(currentKey(lookup)),
    recipient: toRecipient(currentKey(sealingPublic)),
    recipientIds: new Set(sealingPublic.versions.map(({ key }) => recipientKeyId(key))),
  };
}

/** The error for a folder without a keyring. */
export function keyringMissing(dir: string): AppError {
  return new AppError({
    code: 'keyring_missing',
    publicMessage: 'The data folder holds no keyring yet; it is made at the first start of `tidegate up`.',
    detail: dir,
  });
}

/** The version of a key that new work uses; `parseKeyFile` vouches for its presence. */
function currentKey(file: KeyFile): Buffer {
  const entry = file.versions.find(({ version }) => version === file.current);
  if (entry === undefined) throw new RangeError('a key file without its current version');
  return entry.key;
}

function takeKey(bytes: Buffer): KeyObject {
  const key = createSecretKey(bytes);
  bytes.fill(0);
  return key;
}

/** The labels keep the derived keys apart: one can be neither another purpose's nor the audit trail's. */
function deriveFromLookupRoot(root: Buffer): Pick<Keyring, 'lookup' | 'audit'> {
  const derive = (label: string) => takeKey(createHmac('sha256', root).update(label).digest());
  const entries = LOOKUP_PURPOSES.map((purpose) => {
    const labelOf = (form: string) => `tidegate lookup 1 ${purpose} ${form}`;
    return [purpose, { bytes: derive(labelOf('bytes')), codeUnits: derive(labelOf('code-units')) }] as const;
  });
  const audit = derive('tidegate audit 1');
  root.fill(0);
  return { lookup: Object.fromEntries(entries) as Record<LookupPurpose, LookupKeys>, audit };
}

function toRecipient(publicKey: Buffer): Recipient {
  return { id: recipientKeyId(publicKey), publicKey: new Uint8Array(publicKey) };
}
