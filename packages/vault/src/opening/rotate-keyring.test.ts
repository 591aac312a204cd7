import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyring } from '../keyring/create-keyring.ts';
import { describeKeyring } from '../keyring/describe-keyring.ts';
import { KEY_FILE_NAMES } from '../keyring/key-file.ts';
import { loadKeyring } from '../keyring/load-keyring.ts';
import { newDataKey } from '../sealing/new-data-key.ts';
import { loadOpeningKeyring } from './load-opening-keyring.ts';
import { isOpeningFailure, rewrapDataKey } from './rewrap-data-key.ts';
import { retireKeys, rotateKeyring } from './rotate-keyring.ts';
import { unwrapDataKey } from './unwrap-data-key.ts';

const BOTH = { fingerprint: true, sealing: true };
const FILES = Object.values(KEY_FILE_NAMES);
let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
  await createKeyring(dir);
});
afterEach(() => rm(dir, { recursive: true }));

async function contents(): Promise<Record<string, string>> {
  return Object.fromEntries(
    await Promise.all(FILES.map(async (name) => [name, await readFile(join(dir, name), 'utf8')] as const)),
  );
}

describe('rotating a keyring', () => {
  it('adds versions and keeps the old ones, in files that are still 0600 and pass every check', async () => {
    const first = await loadKeyring(dir);
    expect(await rotateKeyring(dir, BOTH)).toMatchObject({ fingerprintVersion: 2 });
    const rotated = await rotateKeyring(dir, BOTH);
    const keyring = await loadKeyring(dir);
    expect(keyring.id).toBe(first.id);
    expect([...keyring.fingerprint.keys.keys()]).toEqual([1, 2, 3]);
    expect(keyring.recipient.id).toBe(rotated.recipientKeyId);
    expect([...(await loadOpeningKeyring(dir)).privateKeys.keys()]).toHaveLength(3);
    expect(await createKeyring(dir)).toEqual({ created: false });
    expect((await readdir(dir)).sort()).toEqual([...FILES].sort());
    for (const name of FILES) expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    expect(await describeKeyring(dir)).toMatchObject({
      id: first.id,
      fingerprint: { current: 3, versions: [1, 2, 3] },
      sealing: {
        current: rotated.recipientKeyId,
        keys: [first.recipient.id, expect.any(String), rotated.recipientKeyId],
      },
    });
  });

  it('rotates only what it is told to', async () => {
    const before = await contents();
    await rotateKeyring(dir, { fingerprint: true, sealing: false });
    const one = await contents();
    await rotateKeyring(dir, { fingerprint: false, sealing: true });
    const two = await contents();
    const changed = (a: Record<string, string>, b: Record<string, string>) =>
      FILES.filter((name) => a[name] !== b[name]);
    expect(changed(before, one)).toEqual([KEY_FILE_NAMES.fingerprint]);
    expect(changed(one, two).sort()).toEqual([KEY_FILE_NAMES.sealingPrivate, KEY_FILE_NAMES.sealingPublic].sort());
  });

  it('works after one that was cut short between the private and the public key', async () => {
    const publicPath = join(dir, KEY_FILE_NAMES.sealingPublic);
    const before = await readFile(publicPath, 'utf8');
    await rotateKeyring(dir, BOTH);
    await writeFile(publicPath, before);
    await expect(loadOpeningKeyring(dir)).resolves.toBeDefined();
    const { recipientKeyId } = await rotateKeyring(dir, BOTH);
    expect((await loadKeyring(dir)).recipient.id).toBe(recipientKeyId);
    expect((await loadOpeningKeyring(dir)).privateKeys.has(recipientKeyId)).toBe(true);
  });

  it('touches nothing when a file is damaged', async () => {
    for (const name of [KEY_FILE_NAMES.fingerprint, KEY_FILE_NAMES.sealingPrivate, KEY_FILE_NAMES.sealingPublic]) {
      const good = await readFile(join(dir, name), 'utf8');
      await writeFile(join(dir, name), good.replace('"current": 1', '"current": 7'));
      const before = await contents();
      await expect(rotateKeyring(dir, BOTH)).rejects.toMatchObject({ code: 'keyring_corrupt' });
      await expect(retireKeys(dir)).rejects.toMatchObject({ code: 'keyring_corrupt' });
      expect(await contents()).toEqual(before);
      await writeFile(join(dir, name), good);
    }
  });

  it('leaves no draft behind, neither its own nor one of a process that died', async () => {
    await writeFile(join(dir, '.next_abc-fingerprint-key.json'), 'left behind');
    await rotateKeyring(dir, BOTH);
    expect((await readdir(dir)).sort()).toEqual([...FILES].sort());
  });

  it('says keyring_missing where there is none', async () => {
    const empty = join(dir, 'empty');
    for (const change of [rotateKeyring(empty, BOTH), retireKeys(empty)]) {
      await expect(change).rejects.toMatchObject({ code: 'keyring_missing' });
    }
  });
});

describe('retiring old keys', () => {
  it('keeps the current ones only', async () => {
    const first = await loadKeyring(dir);
    const { recipientKeyId } = await rotateKeyring(dir, BOTH);
    expect(await retireKeys(dir)).toEqual({ fingerprintVersions: [1], recipientKeyIds: [first.recipient.id] });
    const keyring = await loadKeyring(dir);
    expect([...keyring.fingerprint.keys.keys()]).toEqual([2]);
    expect([...(await loadOpeningKeyring(dir)).privateKeys.keys()]).toEqual([recipientKeyId]);
    expect(await retireKeys(dir)).toEqual({ fingerprintVersions: [], recipientKeyIds: [] });
  });
});

describe('rewrapping a data key', () => {
  it('keeps the data key and moves it to the new recipient', async () => {
    const { key, row } = await newDataKey((await loadKeyring(dir)).recipient);
    await rotateKeyring(dir, BOTH);
    const [keyring, opening] = await Promise.all([loadKeyring(dir), loadOpeningKeyring(dir)]);
    const moved = await rewrapDataKey(opening, keyring.recipient, row);
    expect(moved).toMatchObject({ id: row.id, recipientKeyId: keyring.recipient.id });
    const privateKey = opening.privateKeys.get(keyring.recipient.id);
    if (privateKey === undefined) throw new Error('no private key');
    expect((await unwrapDataKey(privateKey, row.id, moved.wrapped))?.equals(key)).toBe(true);
  });

  it('names what is wrong with a flipped bit, a swapped row and a missing key', async () => {
    const { recipient } = await loadKeyring(dir);
    const opening = await loadOpeningKeyring(dir);
    const [{ row }, { row: other }] = await Promise.all([newDataKey(recipient), newDataKey(recipient)]);
    const refused = (changed: Partial<typeof row>) => rewrapDataKey(opening, recipient, { ...row, ...changed });
    for (let byte = 0; byte < row.wrapped.length; byte += 7) {
      const wrapped = Buffer.from(row.wrapped);
      wrapped.writeUInt8(wrapped.readUInt8(byte) ^ 4, byte);
      const error = await refused({ wrapped }).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'data_key_corrupt' });
      expect(isOpeningFailure(error)).toBe(true);
    }
    await expect(refused({ wrapped: other.wrapped })).rejects.toMatchObject({ code: 'data_key_corrupt' });
    await expect(refused({ recipientKeyId: 'rk_aaaaaaaaaaaaaaaa' })).rejects.toMatchObject({
      code: 'sealing_key_missing',
      detail: 'recipient key rk_aaaaaaaaaaaaaaaa',
    });
  });
});
