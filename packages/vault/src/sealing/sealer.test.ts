import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@tidegate/core';
import { afterAll, describe, expect, it } from 'vitest';
import { createKeyring } from '../keyring/create-keyring.ts';
import { loadKeyring } from '../keyring/load-keyring.ts';
import type { SealerOptions } from './data-key-turns.ts';
import { type DataKeyRow, newDataKey } from './new-data-key.ts';
import type { SealedPlace } from './sealed-layout.ts';
import { createSealer, type Sealer } from './sealer.ts';

const HOUR_MS = 3_600_000;
const PLACE: SealedPlace = { row: 'row-1', purpose: 'subject-id' };
const dir = await mkdtemp(join(tmpdir(), 'tidegate-vault-'));
await createKeyring(dir);
const keyring = await loadKeyring(dir);
afterAll(() => rm(dir, { recursive: true }));

/**
 * A sealer over a clock and a store that the test holds in its hand: `answer` settles the oldest save still waiting.
 */
function setUp(options: Partial<SealerOptions> = {}) {
  const clock = { nowMs: 1_000_000_000_000 };
  const begun: DataKeyRow[] = [];
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const sealer = createSealer({
    keyring,
    saveDataKey: (row) => {
      begun.push(row);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    now: () => clock.nowMs,
    ...options,
  });
  async function answer(error?: Error): Promise<void> {
    await expect.poll(() => waiting.length, { interval: 1, timeout: 10_000 }).toBeGreaterThan(0);
    const save = waiting.shift();
    if (error === undefined) save?.resolve();
    else save?.reject(error);
    await new Promise(setImmediate);
  }
  async function start(): Promise<void> {
    const ready = sealer.ready();
    await answer();
    await ready;
  }
  return { sealer, clock, begun, waiting, answer, start };
}

function dataKeyIdOf(sealed: Buffer): string {
  return sealed.toString('hex', 1, 17);
}

function sealedUnder(sealer: Sealer): string {
  return dataKeyIdOf(sealer.seal('value', PLACE));
}

function plainId(row: DataKeyRow | undefined): string | undefined {
  return row?.id.replaceAll('-', '');
}

describe('the first data key', () => {
  it('is stored before a value sealed under it can be had', async () => {
    const { sealer, begun, answer } = setUp();
    let isReady = false;
    const ready = sealer.ready().then(() => {
      isReady = true;
    });
    expect(() => sealer.seal('value', PLACE)).toThrow(AppError);
    await expect.poll(() => begun.length, { timeout: 10_000 }).toBe(1);
    expect(() => sealer.seal('value', PLACE)).toThrow(
      expect.objectContaining({ code: 'sealer_not_ready', retryable: true }),
    );
    expect(isReady).toBe(false);
    await answer();
    await ready;
    expect(sealedUnder(sealer)).toBe(plainId(begun[0]));
  });

  it('is made once for all that wait for it', async () => {
    const { sealer, begun, answer } = setUp();
    const waiting = Promise.all(Array.from({ length: 50 }, () => sealer.ready()));
    await answer();
    await waiting;
    await sealer.ready();
    expect(begun).toHaveLength(1);
  });

  it('is not used when storing it failed; the next call tries again with another', async () => {
    const { sealer, begun, answer } = setUp();
    const first = sealer.ready().catch((error: unknown) => error);
    await answer(new Error('store is away'));
    expect(await first).toEqual(new Error('store is away'));
    expect(() => sealer.seal('value', PLACE)).toThrow(expect.objectContaining({ code: 'sealer_not_ready' }));
    const second = sealer.ready();
    await answer();
    await second;
    expect(begun).toHaveLength(2);
    expect(begun[0]?.id).not.toBe(begun[1]?.id);
    expect(sealedUnder(sealer)).toBe(plainId(begun[1]));
  });

  it('is stored wrapped, under a uuid, with the id of the key it is wrapped to', async () => {
    const { begun, start } = setUp();
    await start();
    expect(begun[0]?.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(begun[0]?.recipientKeyId).toBe(keyring.recipient.id);
    expect(begun[0]?.wrapped).toHaveLength(81);
  });
});

describe('the hourly replacement', () => {
  it('happens in the background: the old key serves until the new one is stored', async () => {
    const { sealer, clock, begun, answer, start } = setUp();
    await start();
    clock.nowMs += HOUR_MS - 1;
    await sealer.ready();
    expect(sealedUnder(sealer)).toBe(plainId(begun[0]));
    clock.nowMs += 1;
    await sealer.ready();
    await expect.poll(() => begun.length, { timeout: 10_000 }).toBe(2);
    expect(sealedUnder(sealer)).toBe(plainId(begun[0]));
    await answer();
    expect(sealedUnder(sealer)).toBe(plainId(begun[1]));
    await sealer.ready();
    expect(begun).toHaveLength(2);
  });

  it('is asked for by sealing alone, and by a clock that was set back', async () => {
    for (const shiftMs of [HOUR_MS, -HOUR_MS]) {
      const { sealer, clock, begun, answer, start } = setUp();
      await start();
      clock.nowMs += shiftMs;
      expect(sealedUnder(sealer)).toBe(plainId(begun[0]));
      await answer();
      expect(sealedUnder(sealer)).toBe(plainId(begun[1]));
    }
  });

  it('that fails is told, leaves the old key serving, and is tried again after a pause', async () => {
    const failures: unknown[] = [];
    const { sealer, clock, begun, answer, start } = setUp({ onReplaceFailed: (error) => failures.push(error) });
    await start();
    clock.nowMs += HOUR_MS;
    await sealer.ready();
    await answer(new Error('store is away'));
    await expect.poll(() => failures, { timeout: 10_000 }).toEqual([new Error('store is away')]);
    clock.nowMs += 4_999;
    for (let times = 0; times < 100; times += 1) expect(sealedUnder(sealer)).toBe(plainId(begun[0]));
    // One begun by mistake would have been wrapped before these, which begin later.
    for (let times = 0; times < 3; times += 1) await newDataKey(keyring.recipient);
    expect(begun).toHaveLength(2);
    clock.nowMs += 1;
    await sealer.ready();
    await answer();
    expect(begun).toHaveLength(3);
    expect(sealedUnder(sealer)).toBe(plainId(begun[2]));
  });
});

describe('a data key that sealed many values', () => {
  it('is replaced in the background at the count', async () => {
    const { sealer, begun, answer, start } = setUp({ replaceAfterValues: 3 });
    await start();
    for (let times = 0; times < 4; times += 1) expect(sealedUnder(sealer)).toBe(plainId(begun[0]));
    await answer();
    expect(sealedUnder(sealer)).toBe(plainId(begun[1]));
  });

  it('never seals more than four times the count, even when it cannot be replaced', async () => {
    const { sealer, begun, answer, start } = setUp({ replaceAfterValues: 3 });
    await start();
    for (let times = 0; times < 12; times += 1) sealer.seal('value', PLACE);
    expect(() => sealer.seal('value', PLACE)).toThrow(expect.objectContaining({ code: 'sealer_not_ready' }));
    const ready = sealer.ready();
    await answer();
    await ready;
    expect(sealedUnder(sealer)).toBe(plainId(begun[1]));
  });
});

describe('a sealed value', () => {
  it('has the documented layout and an IV of its own', async () => {
    const { sealer, start } = setUp();
    await start();
    const sealed = Array.from({ length: 5_000 }, () => sealer.seal('four', PLACE));
    for (const value of sealed.slice(0, 10)) {
      expect(value).toHaveLength(1 + 16 + 12 + 4 + 16);
      expect(value[0]).toBe(1);
    }
    expect(new Set(sealed.map((value) => value.toString('hex', 17, 29))).size).toBe(sealed.length);
  });

  it('is never a text that UTF-8 cannot carry', async () => {
    const { sealer, start } = setUp();
    await start();
    expect(() => sealer.seal('broken \ud800 text', PLACE)).toThrow(
      expect.objectContaining({ code: 'value_not_well_formed' }),
    );
  });
});
