import { rm } from 'node:fs/promises';
import type { DataKeyRow } from '@tidegate/store';
import { createKeyring, createSealer, type Keyring, loadKeyring } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTempFolder } from '../../../../test/support/temp-folder.ts';
import { createDataKeys } from './data-keys.ts';

let folder: string;
let keyring: Keyring;
beforeAll(async () => {
  folder = await makeTempFolder('data-keys');
  await createKeyring(folder);
  keyring = await loadKeyring(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A store that can be away, and remembers what it was given. */
function startStore() {
  const store = { away: false, rows: [] as DataKeyRow[] };
  const dataKeys = createDataKeys(async (row) => {
    if (store.away) throw new Error('away');
    store.rows.push(row);
  });
  const sealer = createSealer({ keyring, saveDataKey: dataKeys.save, now: Date.now, replaceAfterValues: 1 });
  return { store, dataKeys, sealer };
}

describe('the data keys of a receiver', () => {
  it('are in the store before anything else when that is there', async () => {
    const { store, dataKeys, sealer } = startStore();
    await sealer.ready();
    expect(store.rows).toHaveLength(1);
    expect(dataKeys.owes()).toBe(false);
  });

  it('seal while the store is away, are owed until it is back, and are found by what they sealed', async () => {
    const { store, dataKeys, sealer } = startStore();
    store.away = true;
    await sealer.ready();
    const sealed = sealer.seal('invented', { row: 'x', purpose: 'action-date' });
    const [row] = dataKeys.listFor([sealed, null, sealed]);
    expect(dataKeys.listFor([null])).toEqual([]);
    expect(dataKeys.owes()).toBe(true);
    await expect(dataKeys.settle()).rejects.toThrow('away');
    expect(dataKeys.owes()).toBe(true);
    store.away = false;
    await dataKeys.settle();
    expect(store.rows).toEqual([row]);
    expect(dataKeys.owes()).toBe(false);
  });

  it('are each made once: another value, another key, never the same key after it was worn out', async () => {
    const { store, dataKeys, sealer } = startStore();
    store.away = true;
    const ids = new Set<string | undefined>();
    for (let turn = 0; turn < 12; turn += 1) {
      await sealer.ready();
      const sealed = sealer.seal('invented', { row: 'x', purpose: 'action-date' });
      ids.add(dataKeys.listFor([sealed])[0]?.id);
    }
    store.away = false;
    await dataKeys.settle();
    expect(new Set(store.rows.map(({ id }) => id)).size).toBe(store.rows.length);
    for (const id of ids) expect(store.rows.map((row) => row.id)).toContain(id);
  });
});
