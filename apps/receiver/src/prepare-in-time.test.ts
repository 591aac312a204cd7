import { AppError } from '@tidegate/core';
import type { LiveSource } from '@tidegate/store';
import { describe, expect, it } from 'vitest';
import { createPreparation } from './prepare-in-time.ts';

const DEADLINE_MS = 50;
const AWAY = new AppError({ code: 'store_unavailable', publicMessage: 'Away.', retryable: true });
const SOURCES: LiveSource[] = [{ id: 1, name: 'home', group: 'home', timeZone: 'UTC', lookupHash: Buffer.alloc(32) }];

/** A preparation that ends when it is told to. */
function prepareByHand() {
  const runs: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  const prepare = () => new Promise<void>((resolve, reject) => void runs.push({ resolve, reject }));
  return { runs, preparation: createPreparation(prepare, DEADLINE_MS) };
}

/** What a folder does that remembers nothing. */
const forgetful = (error: unknown) => Promise.reject(error);

describe('the preparation of the store', () => {
  it('at the start gives way to remembered sources when the store neither answers nor refuses', async () => {
    const { preparation } = prepareByHand();
    const told: unknown[] = [];
    const remembered = await preparation.orRemember(async (error) => {
      told.push(error);
      return SOURCES;
    });
    expect(remembered).toBe(SOURCES);
    expect(told).toEqual([expect.objectContaining({ retryable: true })]);
  });

  it('at the start is waited for past its deadline when none are remembered', async () => {
    const { runs, preparation } = prepareByHand();
    let asked: () => void = () => undefined;
    const late = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const starting = preparation.orRemember((error) => {
      asked();
      return forgetful(error);
    });
    await late;
    runs[0]?.resolve();
    expect(await starting).toBeNull();
    expect(runs).toHaveLength(1);
  });

  it('at the start rejects as it does itself', async () => {
    const { runs, preparation } = prepareByHand();
    const starting = preparation.orRemember(forgetful);
    runs[0]?.reject(AWAY);
    await expect(starting).rejects.toBe(AWAY);
  });

  it('later rejects in time, and is not begun again while it is under way', async () => {
    const { runs, preparation } = prepareByHand();
    for (const _turn of [1, 2, 3]) await expect(preparation.inTime()).rejects.toMatchObject({ retryable: true });
    expect(runs).toHaveLength(1);
    runs[0]?.resolve();
    await preparation.inTime();
    expect(runs).toHaveLength(1);
  });

  it('is begun again after it failed', async () => {
    const { runs, preparation } = prepareByHand();
    const first = preparation.inTime();
    runs[0]?.reject(AWAY);
    await expect(first).rejects.toBe(AWAY);
    const second = preparation.inTime();
    runs[1]?.resolve();
    await second;
    expect(runs).toHaveLength(2);
  });
});
