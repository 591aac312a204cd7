import { randomBytes } from 'node:crypto';
import type { KeyFile, KeyKind } from '../keyring/key-file.ts';
import { keyringCorrupt } from '../keyring/keyring-corrupt.ts';
import { keyringMissing } from '../keyring/load-keyring.ts';
import { newSealingPair } from '../keyring/new-key-files.ts';
import { readKeyFiles } from '../keyring/read-key-files.ts';
import { recipientKeyId } from '../keyring/recipient-key-id.ts';
import { replaceKeyFile } from '../keyring/replace-key-file.ts';
import { loadOpeningKeyring } from './load-opening-keyring.ts';

const KEY_BYTES = 32;
const ROTATING = ['fingerprint', 'sealingPrivate', 'sealingPublic'] as const satisfies readonly KeyKind[];

export interface KeysToRotate {
  readonly fingerprint: boolean;
  readonly sealing: boolean;
}

/** What is used for new work from now on. */
export interface RotatedKeyring {
  readonly fingerprintVersion: number;
  readonly recipientKeyId: string;
}

/**
 * Adds a new version of the fingerprint key, of the sealing pair, or of both, and makes it the current one. The old ones
 * stay live until `retireKeys`. Each file is replaced in one step and the private key before the public one, so a process
 * that reads in between, and a rotation cut short, find a keyring that works. Not for two callers at once.
 * @throws AppError `keyring_missing`, `keyring_corrupt` or `keyring_not_writable`
 */
export async function rotateKeyring(dir: string, keys: KeysToRotate): Promise<RotatedKeyring> {
  const { fingerprint, sealingPrivate, sealingPublic } = await readRotating(dir);
  const nextFingerprint = keys.fingerprint
    ? withNext(fingerprint, nextVersion(fingerprint), randomBytes(KEY_BYTES))
    : fingerprint;
  if (keys.fingerprint) await replaceKeyFile(dir, nextFingerprint);
  if (!keys.sealing) return describe(nextFingerprint, sealingPublic);
  const version = nextVersion(sealingPrivate, sealingPublic);
  const pair = newSealingPair();
  await replaceKeyFile(dir, withNext(sealingPrivate, version, pair.privateKey));
  const nextPublic = withNext(sealingPublic, version, pair.publicKey);
  await replaceKeyFile(dir, nextPublic);
  return describe(nextFingerprint, nextPublic);
}

/** The versions that `retireKeys` took out of use. */
export interface RetiredKeys {
  readonly fingerprintVersions: readonly number[];
  readonly recipientKeyIds: readonly string[];
}

/**
 * Drops every version but the current one. Only for when no fingerprint and no data key in the store needs an old one;
 * backups of the store from before do, together with a keyring of before. The public key goes before the private one.
 * @throws AppError as `rotateKeyring`
 */
export async function retireKeys(dir: string): Promise<RetiredKeys> {
  const { fingerprint, sealingPrivate, sealingPublic } = await readRotating(dir);
  const dropped = (file: KeyFile) => file.versions.filter(({ version }) => version !== file.current);
  await replaceKeyFile(dir, currentOnly(fingerprint));
  await replaceKeyFile(dir, currentOnly(sealingPublic));
  await replaceKeyFile(dir, currentOnly({ ...sealingPrivate, current: sealingPublic.current }));
  return {
    fingerprintVersions: dropped(fingerprint).map(({ version }) => version),
    recipientKeyIds: dropped(sealingPublic).map(({ key }) => recipientKeyId(key)),
  };
}

/** Nothing is rotated on top of a keyring that is damaged or whose pair does not match. */
async function readRotating(dir: string): Promise<Readonly<Record<(typeof ROTATING)[number], KeyFile>>> {
  await loadOpeningKeyring(dir);
  const found = await readKeyFiles(dir, ROTATING);
  if (found.state === 'absent') throw keyringMissing(dir);
  if (found.state === 'partial') throw keyringCorrupt(dir, found.missing, { what: 'missing' });
  return found.files;
}

/** Above every number ever used, also by a rotation that was cut short between two files. */
function nextVersion(...files: readonly KeyFile[]): number {
  return 1 + Math.max(...files.flatMap((file) => file.versions.map(({ version }) => version)));
}

function withNext(file: KeyFile, version: number, key: Buffer): KeyFile {
  return { ...file, current: version, versions: [...file.versions, { version, key }] };
}

function currentOnly(file: KeyFile): KeyFile {
  return { ...file, versions: file.versions.filter(({ version }) => version === file.current) };
}

function describe(fingerprint: KeyFile, sealingPublic: KeyFile): RotatedKeyring {
  const publicKey = sealingPublic.versions.find(({ version }) => version === sealingPublic.current)?.key;
  return {
    fingerprintVersion: fingerprint.current,
    recipientKeyId: recipientKeyId(publicKey ?? Buffer.alloc(0)),
  };
}
