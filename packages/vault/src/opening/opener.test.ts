import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { AppError } from '@tidegate/core';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { createKeyring } from '../keyring/create-keyring.ts';
import { loadKeyring } from '../keyring/load-keyring.ts';
import type { DataKeyRow } from '../sealing/new-data-key.ts';
import type { SealedPlace, SealPurpose } from '../sealing/sealed-layout.ts';
import { createSealer } from '../sealing/sealer.ts';
import { loadOpeningKeyring } from './load-opening-keyring.ts';
import { createOpener } from './opener.ts';

const TOKEN = 'invented-token-5f0c';
const PLACE: SealedPlace = { row: 'row-1', purpose: 'subject-id' };
const dir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
const otherDir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
await createKeyring(dir);
await createKeyring(otherDir);
const keyring = await loadKeyring(dir);
const openingKeyring = await loadOpeningKeyring(dir);
afterAll(async () => {
  await rm(dir, { recursive: true });
  await rm(otherDir, { recursive: true });
});

const rows = new Map<string, DataKeyRow>();
let loads = 0;
async function loadDataKey(id: string): Promise<DataKeyRow | null> {
  loads += 1;
  return rows.get(id) ?? null;
}

function newSealer() {
  return createSealer({
    keyring,
    saveDataKey: async (row) => {
      rows.set(row.id, row);
    },
    now: () => 0,
  });
}

const sealer = newSealer();
const opener = createOpener({ keyring: openingKeyring, loadDataKey });
beforeEach(async () => {
  loads = 0;
  await sealer.ready();
});

async function expectRefused(opening: Promise<Buffer>, ...codes: string[]): Promise<AppError> {
  const error = await opening.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AppError);
  if (!(error instanceof AppError)) throw error;
  expect(codes).toContain(error.code);
  expect(error.cause).toBeUndefined();
  const printed = inspect(error, { depth: 9, showHidden: true }) + JSON.stringify(error);
  expect(printed).not.toMatch(/invented|row-1|subject-id/);
  return error;
}

const anyPlace: fc.Arbitrary<SealedPlace> = fc.record({
  row: fc.string({ unit: 'binary' }),
  purpose: fc.constantFrom<SealPurpose>('subject-id', 'action-date', 'callback-body', 'signing-secret'),
});

describe('opening', () => {
  it('gives back what was sealed, bytes and text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.string({ unit: 'binary' }),
        anyPlace,
        async (bytes, text, place) => {
          expect(await opener.open(sealer.seal(bytes, place), place)).toEqual(Buffer.from(bytes));
          expect((await opener.open(sealer.seal(text, place), place)).toString()).toBe(text);
        },
      ),
    );
  });

  it('works for a value of 1 MiB, and for one that the store gives as a plain Uint8Array', async () => {
    const body = Buffer.alloc(1 << 20, 'b');
    expect((await opener.open(new Uint8Array(sealer.seal(body, PLACE)), PLACE)).equals(body)).toBe(true);
  });

  it('leaves an audit trace of what was opened and of nothing that was refused', async () => {
    const opened: SealPurpose[] = [];
    const traced = createOpener({ keyring: openingKeyring, loadDataKey, onOpened: (purpose) => opened.push(purpose) });
    const sealed = sealer.seal(TOKEN, PLACE);
    await traced.open(sealed, PLACE);
    await expectRefused(traced.open(sealed, { ...PLACE, row: 'row-2' }), 'sealed_value_corrupt');
    expect(opened).toEqual(['subject-id']);
  });

  it('hands nothing out when the audit trace cannot be left', async () => {
    const onOpened = () => {
      throw new Error('audit is away');
    };
    const traced = createOpener({ keyring: openingKeyring, loadDataKey, onOpened });
    await expect(traced.open(sealer.seal(TOKEN, PLACE), PLACE)).rejects.toThrow('audit is away');
  });
});

describe('refusing', () => {
  it(verifies('I3', 'every flipped bit is refused by name, and says nothing of the value'), async () => {
    const sealed = sealer.seal(TOKEN, PLACE);
    for (let bit = 0; bit < sealed.length * 8; bit += 1) {
      const isInDataKeyId = bit >= 8 && bit < 17 * 8;
      const error = await expectRefused(
        opener.open(flip(sealed, bit), PLACE),
        'sealed_value_corrupt',
        'data_key_missing',
      );
      expect(error.code).toBe(isInDataKeyId ? 'data_key_missing' : 'sealed_value_corrupt');
    }
  });

  it(verifies('I3', 'a value that was cut, lengthened, or never sealed is refused by name'), async () => {
    const sealed = sealer.seal(TOKEN, PLACE);
    for (let length = 0; length < sealed.length; length += 1) {
      await expectRefused(opener.open(sealed.subarray(0, length), PLACE), 'sealed_value_corrupt');
    }
    await expectRefused(opener.open(Buffer.concat([sealed, Buffer.of(0)]), PLACE), 'sealed_value_corrupt');
    await expectRefused(opener.open(Buffer.from(TOKEN.repeat(5)), PLACE), 'sealed_value_corrupt');
    await expectRefused(opener.open(Buffer.from(`\u0001${TOKEN.repeat(5)}`), PLACE), 'data_key_missing');
  });

  it('a value moved to another row or purpose is refused', async () => {
    await fc.assert(
      fc.asyncProperty(anyPlace, anyPlace, async (from, to) => {
        fc.pre(from.row !== to.row || from.purpose !== to.purpose);
        await expectRefused(opener.open(sealer.seal(TOKEN, from), to), 'sealed_value_corrupt');
      }),
    );
    const sealed = sealer.seal(TOKEN, PLACE);
    await expectRefused(opener.open(sealed, { ...PLACE, row: 'row-2' }), 'sealed_value_corrupt');
    await expectRefused(opener.open(sealed, { ...PLACE, purpose: 'callback-url' }), 'sealed_value_corrupt');
    expect((await opener.open(sealed, PLACE)).toString()).toBe(TOKEN);
  });

  it('a value whose data key is not stored is refused', async () => {
    const lost = createSealer({ keyring, saveDataKey: async () => {}, now: () => 0 });
    await lost.ready();
    await expectRefused(opener.open(lost.seal(TOKEN, PLACE), PLACE), 'data_key_missing');
  });

  it('a value sealed to another keyring is refused, naming the public id of the key it needs', async () => {
    const stranger = createOpener({ keyring: await loadOpeningKeyring(otherDir), loadDataKey });
    const error = await expectRefused(stranger.open(sealer.seal(TOKEN, PLACE), PLACE), 'sealing_key_missing');
    expect(error.detail).toBe(`recipient key ${keyring.recipient.id}`);
    const oddRow = async (id: string) => ({ ...(rows.get(id) as DataKeyRow), recipientKeyId: 'invented' });
    const odd = createOpener({ keyring: openingKeyring, loadDataKey: oddRow });
    await expectRefused(odd.open(sealer.seal(TOKEN, PLACE), PLACE), 'sealing_key_missing');
  });

  it('a wrapped data key with any flipped bit, cut, or put under another id is refused', async () => {
    const sealed = sealer.seal(TOKEN, PLACE);
    const [row] = rows.values();
    if (row === undefined) throw new Error('no data key was stored');
    const openWith = (wrapped: Buffer) =>
      createOpener({ keyring: openingKeyring, loadDataKey: async () => ({ ...row, wrapped }) }).open(sealed, PLACE);
    expect((await openWith(row.wrapped)).toString()).toBe(TOKEN);
    for (let bit = 0; bit < row.wrapped.length * 8; bit += 1) {
      await expectRefused(openWith(flip(row.wrapped, bit)), 'sealed_value_corrupt');
    }
    await expectRefused(openWith(row.wrapped.subarray(0, 80)), 'sealed_value_corrupt');
    await expectRefused(openWith(Buffer.alloc(81, 0).fill(1, 0, 1)), 'sealed_value_corrupt');
    const second = newSealer();
    await second.ready();
    const other = [...rows.values()].find(({ id }) => id !== row.id);
    await expectRefused(openWith(other?.wrapped ?? Buffer.alloc(0)), 'sealed_value_corrupt');
  });
});

describe('the data keys kept', () => {
  it('are unwrapped once, even when many values ask at the same time', async () => {
    const fresh = createOpener({ keyring: openingKeyring, loadDataKey });
    await Promise.all(Array.from({ length: 40 }, () => fresh.open(sealer.seal(TOKEN, PLACE), PLACE)));
    await fresh.open(sealer.seal(TOKEN, PLACE), PLACE);
    expect(loads).toBe(1);
  });

  it('are at most as many as allowed, the least recently used going first', async () => {
    const sealed = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const own = newSealer();
        await own.ready();
        return own.seal(TOKEN, PLACE);
      }),
    );
    const [a, b, c] = sealed as [Buffer, Buffer, Buffer];
    const small = createOpener({ keyring: openingKeyring, loadDataKey, maxDataKeys: 2 });
    const loadsOf = async (value: Buffer) => {
      const before = loads;
      await small.open(value, PLACE);
      return loads - before;
    };
    const asked: number[] = [];
    for (const value of [a, b, a, c, a, b]) asked.push(await loadsOf(value));
    expect(asked).toEqual([1, 1, 0, 1, 0, 1]);
  });

  it('do not remember a failure: a data key stored a moment later opens the value', async () => {
    const stored: DataKeyRow[] = [];
    const late = createSealer({
      keyring,
      saveDataKey: async (row) => {
        stored.push(row);
      },
      now: () => 0,
    });
    await late.ready();
    const sealed = late.seal(TOKEN, PLACE);
    await expectRefused(opener.open(sealed, PLACE), 'data_key_missing');
    for (const row of stored) rows.set(row.id, row);
    expect((await opener.open(sealed, PLACE)).toString()).toBe(TOKEN);
  });

  it('pass an error of the store on as it is', async () => {
    const away = createOpener({
      keyring: openingKeyring,
      loadDataKey: () => Promise.reject(new Error('store is away')),
    });
    await expect(away.open(sealer.seal(TOKEN, PLACE), PLACE)).rejects.toThrow('store is away');
  });
});

function flip(bytes: Buffer, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
  return flipped;
}
