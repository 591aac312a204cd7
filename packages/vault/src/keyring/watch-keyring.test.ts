import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@tidegate/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fingerprintVersions } from '../naming/fingerprint-versions.ts';
import { createOpener } from '../opening/opener.ts';
import { rotateKeyring } from '../opening/rotate-keyring.ts';
import { watchOpeningKeyring } from '../opening/watch-opening-keyring.ts';
import type { DataKeyRow } from '../sealing/new-data-key.ts';
import { createSealer } from '../sealing/sealer.ts';
import { createKeyring } from './create-keyring.ts';
import { KEY_FILE_NAMES } from './key-file.ts';
import { type WatchedKeyring, watchKeyring } from './watch-keyring.ts';

const SUBJECT = { group: 'g', type: 'device', id: 'invented-token' } as const;
let dir: string;
let watched: WatchedKeyring;
let failures: unknown[];
let reloads: number;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
  await createKeyring(dir);
  failures = [];
  reloads = 0;
  watched = await watchKeyring(dir, {
    everyMs: 3_600_000,
    onReloaded: () => {
      reloads += 1;
    },
    onFailed: (error) => failures.push(error),
  });
});
afterEach(async () => {
  watched.stop();
  await rm(dir, { recursive: true });
});

describe('a watched keyring', () => {
  it('takes up a rotation, and names subjects under both keys from then on', async () => {
    const before = fingerprintVersions(watched.keyring, SUBJECT);
    expect(before.otherFingerprints).toEqual([]);
    expect(await watched.look()).toBe(false);
    const { recipientKeyId } = await rotateKeyring(dir, { fingerprint: true, sealing: true });
    expect(watched.keyring.fingerprint.current).toBe(1);
    expect(await watched.look()).toBe(true);
    const after = fingerprintVersions(watched.keyring, SUBJECT);
    expect(after.fingerprint.version).toBe(2);
    expect(after.otherFingerprints).toEqual([before.fingerprint]);
    expect(watched.keyring.recipient.id).toBe(recipientKeyId);
    expect(reloads).toBe(1);
    expect(await watched.look()).toBe(false);
  });

  it('takes it up by itself', async () => {
    const own = await watchKeyring(dir, { everyMs: 5 });
    try {
      await rotateKeyring(dir, { fingerprint: true, sealing: false });
      await expect.poll(() => own.keyring.fingerprint.current, { timeout: 10_000 }).toBe(2);
    } finally {
      own.stop();
    }
  });

  it('goes on with the keys it has while a file is damaged or gone, says so, and recovers', async () => {
    const path = join(dir, KEY_FILE_NAMES.fingerprint);
    const text = await readFile(path, 'utf8');
    const before = fingerprintVersions(watched.keyring, SUBJECT);
    await writeFile(path, text.slice(0, 40));
    expect(await watched.look()).toBe(false);
    await rm(path);
    expect(await watched.look()).toBe(false);
    expect(failures).toHaveLength(2);
    for (const failure of failures) expect(failure).toMatchObject({ code: 'keyring_corrupt' });
    expect(fingerprintVersions(watched.keyring, SUBJECT)).toEqual(before);
    await writeFile(path, text);
    expect(await watched.look()).toBe(true);
    expect(failures).toHaveLength(2);
  });

  it('does not change over to another keyring', async () => {
    await createKeyring(join(dir, 'other'));
    for (const name of Object.values(KEY_FILE_NAMES)) await rename(join(dir, 'other', name), join(dir, name));
    const { id } = watched.keyring;
    expect(await watched.look()).toBe(false);
    expect(failures).toEqual([expect.any(AppError)]);
    expect(failures[0]).toMatchObject({ code: 'keyring_replaced' });
    expect(watched.keyring.id).toBe(id);
  });
});

describe('sealing and opening across a rotation', () => {
  it('opens old and new values, and seals to the new key without waiting for the hour to end', async () => {
    const rows = new Map<string, DataKeyRow>();
    const sealer = createSealer({
      keyring: watched.keyring,
      saveDataKey: async (row) => void rows.set(row.id, row),
      now: () => 0,
    });
    const opening = await watchOpeningKeyring(dir, { everyMs: 3_600_000 });
    const opener = createOpener({ keyring: opening.keyring, loadDataKey: async (id) => rows.get(id) ?? null });
    const place = { row: 'r', purpose: 'subject-id' } as const;
    await sealer.ready();
    const old = sealer.seal('old', place);
    const { recipientKeyId } = await rotateKeyring(dir, { fingerprint: false, sealing: true });
    await watched.look();
    sealer.seal('asks for the next key', place);
    await expect.poll(() => rows.size, { timeout: 10_000 }).toBe(2);
    const fresh = sealer.seal('fresh', place);
    expect([...rows.values()].at(-1)?.recipientKeyId).toBe(recipientKeyId);
    await expect(opener.open(fresh, place)).rejects.toMatchObject({ code: 'sealing_key_missing' });
    expect(await opening.look()).toBe(true);
    expect((await opener.open(fresh, place)).toString()).toBe('fresh');
    expect((await opener.open(old, place)).toString()).toBe('old');
    opening.stop();
  });
});
