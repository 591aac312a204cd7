import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyKind, KeyVersion } from '../keyring/key-file.ts';
import { keyringCorrupt } from '../keyring/keyring-corrupt.ts';
import { keyringMissing } from '../keyring/load-keyring.ts';
import { readKeyFiles } from '../keyring/read-key-files.ts';
import { recipientKeyId } from '../keyring/recipient-key-id.ts';
import { hpkeSuite } from '../sealing/hpke-suite.ts';

export const OPEN_SIDE = ['sealingPrivate', 'sealingPublic'] as const satisfies readonly KeyKind[];
/** The fixed DER head of an unencrypted X25519 private key (RFC 8410, section 7); the 32 key bytes follow. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b656e04220420', 'hex');
const PUBLIC_KEY_BYTES = 32;

/** A private sealing key in the form that HPKE takes; it prints without its bytes. */
export type PrivateSealingKey = Awaited<ReturnType<typeof hpkeSuite.kem.deserializePrivateKey>>;

/** The open side of the key material: private sealing keys by recipient key id. */
export interface OpeningKeyring {
  readonly privateKeys: ReadonlyMap<string, PrivateSealingKey>;
}

/**
 * Loads the private sealing keys and checks that each public one has its partner. For the worker and `tidegate vault`
 * only.
 * @throws AppError `keyring_missing` when neither sealing key exists; `keyring_corrupt` when one of their files is
 * missing, unreadable, damaged, or not the other's partner.
 */
export async function loadOpeningKeyring(dir: string): Promise<OpeningKeyring> {
  const found = await readKeyFiles(dir, OPEN_SIDE);
  if (found.state === 'absent') throw keyringMissing(dir);
  if (found.state === 'partial') throw keyringCorrupt(dir, found.missing, { what: 'missing' });
  const privateKeys = new Map(await Promise.all(found.files.sealingPrivate.versions.map(importPrivateKey)));
  const paired = found.files.sealingPublic.versions.every(({ key }) => privateKeys.has(recipientKeyId(key)));
  if (!paired) throw keyringCorrupt(dir, 'sealingPrivate', { what: 'unmatched_pair' });
  return { privateKeys };
}

async function importPrivateKey({ key }: KeyVersion): Promise<[string, PrivateSealingKey]> {
  const privateKey = await hpkeSuite.kem.deserializePrivateKey(new Uint8Array(key));
  const id = recipientKeyId(publicKeyOf(key));
  key.fill(0);
  return [id, privateKey];
}

function publicKeyOf(privateKey: Buffer): Buffer {
  const der = Buffer.concat([PKCS8_HEAD, privateKey]);
  const publicDer = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })).export({
    format: 'der',
    type: 'spki',
  });
  der.fill(0);
  return publicDer.subarray(-PUBLIC_KEY_BYTES);
}
