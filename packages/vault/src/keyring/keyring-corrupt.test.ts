import { mkdir, mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { AppError } from '@tidegate/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { loadOpeningKeyring } from '../opening/load-opening-keyring.ts';
import { createKeyring } from './create-keyring.ts';
import { KEY_FILE_NAMES, type KeyKind, parseKeyFile, renderKeyFile } from './key-file.ts';
import { loadKeyring } from './load-keyring.ts';

const KINDS = Object.keys(KEY_FILE_NAMES) as KeyKind[];
let dir: string;
let texts: Record<KeyKind, string>;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
  await createKeyring(dir);
  const read = async (kind: KeyKind) => [kind, await readFile(pathOf(kind), 'utf8')] as const;
  texts = Object.fromEntries(await Promise.all(KINDS.map(read))) as Record<KeyKind, string>;
});
afterEach(() => rm(dir, { recursive: true }));

function pathOf(kind: KeyKind): string {
  return join(dir, KEY_FILE_NAMES[kind]);
}

/** Calls everything that reads this kind of file, and answers their errors. */
async function errorsOf(kind: KeyKind): Promise<AppError[]> {
  const readers = [createKeyring];
  const loaders: ((folder: string) => Promise<unknown>)[] = [...readers];
  if (kind !== 'sealingPrivate') loaders.push(loadKeyring);
  if (kind === 'sealingPrivate' || kind === 'sealingPublic') loaders.push(loadOpeningKeyring);
  return Promise.all(
    loaders.map(async (load) => {
      const error = await load(dir).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(AppError);
      return error as AppError;
    }),
  );
}

async function expectCorrupt(kind: KeyKind, sentence: RegExp): Promise<void> {
  for (const error of await errorsOf(kind)) {
    expect(error.code).toBe('keyring_corrupt');
    expect(error.retryable).toBe(false);
    expect(error.publicMessage).toMatch(sentence);
    expect(error.publicMessage).toMatch(/^The keyring file \S+ [^\n]+\.$/);
    expect(error.publicMessage).toContain(KEY_FILE_NAMES[kind]);
    expect(error.detail).toBe(pathOf(kind));
    expect(error.cause).toBeUndefined();
    expectNoKeyIn(inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error));
  }
}

function expectNoKeyIn(printed: string): void {
  for (const kind of KINDS) {
    const key: string = JSON.parse(texts[kind]).versions[0].key;
    for (const form of [key.slice(0, 6), Buffer.from(key, 'base64url').toString('hex').slice(0, 8)]) {
      expect(printed).not.toContain(form);
    }
  }
}

describe.each(KINDS)('the %s file', (kind) => {
  it(verifies('I3', 'when missing beside others: one sentence naming it'), async () => {
    await unlink(pathOf(kind));
    await expectCorrupt(kind, /is missing/);
  });

  it(verifies('I3', 'when damaged: one sentence naming it and no byte of a key'), async () => {
    const text = texts[kind];
    const key: string = JSON.parse(text).versions[0].key;
    const swapped = key.startsWith('A') ? `B${key.slice(1)}` : `A${key.slice(1)}`;
    const damaged: [string, RegExp][] = [
      ['', /is not JSON/],
      [text.slice(0, text.indexOf(key) + 20), /is not JSON/],
      [key, /is not JSON/],
      ['null', /is not JSON/],
      [text.replace(key, swapped), /checksum does not match/],
      [text.replace(key, key.slice(1)), /missing or malformed/],
      [text.replace('"current": 1', '"current": 2'), /missing or malformed/],
      [text.replace('"format": 1', '"format": 2'), /another version of Tidegate/],
    ];
    for (const [content, sentence] of damaged) {
      await writeFile(pathOf(kind), content);
      await expectCorrupt(kind, sentence);
    }
  });

  it('when unreadable: one sentence naming it', async () => {
    await unlink(pathOf(kind));
    await mkdir(pathOf(kind));
    await expectCorrupt(kind, /cannot be read \(EISDIR\)/);
  });

  it('when it holds a key of another kind: one sentence naming it', async () => {
    await writeFile(pathOf(kind), texts[kind === 'lookup' ? 'observation' : 'lookup']);
    await expectCorrupt(kind, /holds a key of another kind/);
  });

  it('notices every flipped bit', () => {
    const bytes = Buffer.from(texts[kind]);
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      expect(typeof parseKeyFile(kind, flipped.toString()), `bit ${bit}`).toBe('string');
    }
  });
});

describe('a keyring put together from two', () => {
  it('is refused, whichever file is the odd one', async () => {
    const other = join(dir, 'other');
    await createKeyring(other);
    for (const kind of KINDS) {
      await writeFile(pathOf(kind), await readFile(join(other, KEY_FILE_NAMES[kind])));
      await expect(createKeyring(dir)).rejects.toMatchObject({
        code: 'keyring_corrupt',
        publicMessage: expect.stringMatching(/belongs to another keyring/),
      });
      await writeFile(pathOf(kind), texts[kind]);
    }
    await expect(createKeyring(dir)).resolves.toEqual({ created: false });
  });

  it('is refused by the open side when the private key is not the partner of the public one', async () => {
    const file = parseKeyFile('sealingPrivate', texts.sealingPrivate);
    if (typeof file === 'string') throw new Error(file);
    const stranger = { ...file, versions: [{ version: 1, key: Buffer.alloc(32, 9) }] };
    await writeFile(pathOf('sealingPrivate'), renderKeyFile(stranger));
    await expect(loadOpeningKeyring(dir)).rejects.toMatchObject({
      code: 'keyring_corrupt',
      publicMessage: expect.stringMatching(/sealing-private-key\.json does not belong/),
    });
  });
});

describe('a folder without a keyring', () => {
  it('is keyring_missing to both sides', async () => {
    const empty = join(dir, 'empty');
    for (const load of [loadKeyring, loadOpeningKeyring]) {
      await expect(load(empty)).rejects.toMatchObject({ code: 'keyring_missing' });
    }
  });
});

describe('key files', () => {
  it('hold several versions with one current, and read back as written', () => {
    const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
    const versionLists = fc.uniqueArray(fc.record({ version: fc.integer({ min: 1, max: 1_000 }), key: keys }), {
      selector: ({ version }) => version,
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), versionLists, fc.nat(), (kind, versions, pick) => {
        const current = versions[pick % versions.length]?.version ?? 1;
        const file = { kind, keyring: 'kr_invented', current, versions };
        expect(parseKeyFile(kind, renderKeyFile(file))).toEqual(file);
      }),
    );
  });

  it('survive a change of layout, which leaves the fields as they are', () => {
    const compact = JSON.stringify(JSON.parse(texts.lookup));
    expect(parseKeyFile('lookup', compact)).toEqual(parseKeyFile('lookup', texts.lookup));
  });
});
