import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { newId } from '../naming/new-id.ts';
import { KEY_FILE_NAMES, type KeyFile, type KeyKind, renderKeyFile } from './key-file.ts';

const KEY_BYTES = 32;

/**
 * Makes the content of a whole new keyring, as pairs of file name and text in the order in which they are published.
 */
export function newKeyFiles(): readonly { readonly name: string; readonly text: string }[] {
  const keyring = newId('kr');
  const pair = newSealingPair();
  const keys: Record<KeyKind, Buffer> = {
    sealingPrivate: pair.privateKey,
    fingerprint: randomBytes(KEY_BYTES),
    observation: randomBytes(KEY_BYTES),
    lookup: randomBytes(KEY_BYTES),
    sealingPublic: pair.publicKey,
  };
  return Object.entries(KEY_FILE_NAMES).map(([kind, name]) => {
    const key = keys[kind as KeyKind];
    const file: KeyFile = { kind: kind as KeyKind, keyring, current: 1, versions: [{ version: 1, key }] };
    const text = renderKeyFile(file);
    key.fill(0);
    return { name, text };
  });
}

export function newSealingPair(): { privateKey: Buffer; publicKey: Buffer } {
  const { d, x } = generateKeyPairSync('x25519').privateKey.export({ format: 'jwk' });
  if (d === undefined || x === undefined) throw new TypeError('this Node cannot export an X25519 key');
  return { privateKey: Buffer.from(d, 'base64url'), publicKey: Buffer.from(x, 'base64url') };
}
