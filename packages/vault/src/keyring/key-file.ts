import { createHash } from 'node:crypto';

/** The kinds of key, each with the file that holds it; every name contains `key`. */
export const KEY_FILE_NAMES = {
  sealingPrivate: 'sealing-private-key.json',
  fingerprint: 'fingerprint-key.json',
  observation: 'observation-key.json',
  lookup: 'lookup-key.json',
  sealingPublic: 'sealing-public-key.json',
} as const;
export type KeyKind = keyof typeof KEY_FILE_NAMES;

/** One version of a key: 32 bytes, numbered from 1. */
export interface KeyVersion {
  readonly version: number;
  readonly key: Buffer;
}

/** The content of one key file: every version still in use, and which one is used for new work. */
export interface KeyFile {
  readonly kind: KeyKind;
  readonly keyring: string;
  readonly current: number;
  readonly versions: readonly KeyVersion[];
}

/** Why a text is not a key file of the expected kind. */
export type KeyFileFlaw = 'not_json' | 'unknown_format' | 'incomplete' | 'wrong_kind' | 'checksum_mismatch';

const FORMAT = 1;
const KEY_TEXT = /^[A-Za-z0-9_-]{43}$/;

interface StoredVersion {
  readonly version: number;
  readonly key: string;
}

/** The text of a key file: JSON with a checksum over its fields. */
export function renderKeyFile(file: KeyFile): string {
  const versions = file.versions.map(({ version, key }) => ({ version, key: key.toString('base64url') }));
  const { kind, keyring, current } = file;
  const checksum = checksumOf(kind, keyring, current, versions);
  return `${JSON.stringify({ format: FORMAT, kind, keyring, current, versions, checksum }, null, 2)}\n`;
}

/** Reads the text of a key file back. A flaw is only named: parser messages quote the text, and the text holds keys. */
export function parseKeyFile(kind: KeyKind, text: string): KeyFile | KeyFileFlaw {
  const stored = parseObject(text);
  if (stored === null) return 'not_json';
  if (stored.format !== FORMAT) return 'unknown_format';
  const { keyring, current, versions, checksum } = stored;
  if (typeof keyring !== 'string' || !isVersionNumber(current) || !isVersionList(versions)) return 'incomplete';
  if (!versions.some((entry) => entry.version === current)) return 'incomplete';
  if (stored.kind !== kind) return 'wrong_kind';
  if (checksum !== checksumOf(kind, keyring, current, versions)) return 'checksum_mismatch';
  const decoded = versions.map(({ version, key }) => ({ version, key: Buffer.from(key, 'base64url') }));
  return { kind, keyring, current, versions: decoded };
}

function checksumOf(kind: string, keyring: string, current: number, versions: readonly StoredVersion[]): string {
  const fields = [FORMAT, kind, keyring, current, ...versions.map(({ version, key }) => [version, key])];
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isVersionNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
}

function isVersionList(value: unknown): value is StoredVersion[] {
  if (!Array.isArray(value) || !value.every(isStoredVersion)) return false;
  return new Set(value.map((entry) => entry.version)).size === value.length;
}

function isStoredVersion(value: unknown): value is StoredVersion {
  return isObject(value) && isVersionNumber(value.version) && isKeyText(value.key);
}

function isKeyText(value: unknown): boolean {
  return typeof value === 'string' && KEY_TEXT.test(value);
}
