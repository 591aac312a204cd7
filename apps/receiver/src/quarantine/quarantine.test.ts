import { rm } from 'node:fs/promises';
import { createKeyring, createSealer, loadKeyring, type Sealer } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { createQuarantine } from './quarantine.ts';

const SOURCE = { id: 1, name: 'home', group: 'home', timeZone: 'UTC', lookupHash: Buffer.alloc(32) };
const MISREAD = { field: 'content-type', problem: 'not_allowed' } as const;
let folder: string;
let sealer: Sealer;

beforeAll(async () => {
  folder = await makeTempFolder('quarantine');
  await createKeyring(folder);
  sealer = createSealer({ keyring: await loadKeyring(folder), saveDataKey: async () => undefined, now: Date.now });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What was asked of the store, in order. */
function watched() {
  const asked: string[] = [];
  const state = { fails: false, nowMs: 0 };
  const ask = async (what: string) => {
    asked.push(what);
    if (state.fails) throw new Error('the store is away');
  };
  const quarantine = createQuarantine({
    sealer,
    save: ({ field }, verifyGates) => ask(`${field} ${verifyGates}`),
    verifyGates: (sourceId) => ask(`gates of ${sourceId}`),
    now: () => state.nowMs,
  });
  return { asked, state, quarantine };
}

describe('verifications set off by what was not understood', () => {
  it('are as many for bodies that are kept and for those that are not, together', async () => {
    const { asked, state, quarantine } = watched();
    await quarantine.keep(SOURCE, Buffer.from('{'), MISREAD);
    await quarantine.recheck(SOURCE);
    state.nowMs = 10_000;
    await quarantine.recheck(SOURCE);
    await quarantine.keep(SOURCE, Buffer.from('{'), MISREAD);
    await quarantine.recheck({ ...SOURCE, id: 2 });
    expect(asked).toEqual(['content-type true', 'gates of 1', 'content-type false', 'gates of 2']);
  });

  it('are waited for by who comes while they are on their way, since they may fail', async () => {
    const { state, quarantine } = watched();
    state.fails = true;
    const both = await Promise.allSettled([quarantine.recheck(SOURCE), quarantine.recheck(SOURCE)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('come with the next body when the store was away for the first', async () => {
    const { asked, state, quarantine } = watched();
    state.fails = true;
    await expect(quarantine.recheck(SOURCE)).rejects.toThrow('away');
    await expect(quarantine.keep(SOURCE, Buffer.from('{'), MISREAD)).rejects.toThrow('away');
    state.fails = false;
    await quarantine.recheck(SOURCE);
    await quarantine.recheck(SOURCE);
    expect(asked).toEqual(['gates of 1', 'content-type true', 'gates of 1']);
  });
});
