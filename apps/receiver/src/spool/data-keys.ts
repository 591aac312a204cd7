import type { DataKeyRow } from '@tidegate/store';
import { dataKeyIdOf } from '@tidegate/vault';
import { withDeadline } from '../record/with-deadline.ts';

/** The wrapped data keys of this process: saved in the store, or while that is away kept until it is back. */
export interface DataKeys {
  /** For the sealer. Resolves in any case: what is sealed meanwhile is recorded only after `settle`, or travels with its key. */
  save(row: DataKeyRow): Promise<void>;
  /** Whether the store lacks a key. */
  owes(): boolean;
  /** Saves what the store lacks. Rejects as the store does. */
  settle(): Promise<void>;
  /** The wrapped keys that these values are sealed under. */
  listFor(sealed: readonly (Buffer | null)[]): DataKeyRow[];
}

const SAVE_DEADLINE_MS = 2000;
/** A key serves for an hour, and what it sealed is recorded or spooled within seconds. */
const MOST_KNOWN = 8;

/** Keeps them; `store` saves one, any number of times. */
export function createDataKeys(store: (row: DataKeyRow) => Promise<void>): DataKeys {
  const known = new Map<string, DataKeyRow>();
  const unsaved = new Map<string, DataKeyRow>();
  return {
    async save(row) {
      known.set(row.id, row);
      for (const id of known.keys()) if (known.size > MOST_KNOWN && !unsaved.has(id)) known.delete(id);
      try {
        await withDeadline(store(row), SAVE_DEADLINE_MS);
      } catch {
        unsaved.set(row.id, row);
      }
    },
    owes: () => unsaved.size > 0,
    async settle() {
      for (const row of [...unsaved.values()]) {
        await store(row);
        unsaved.delete(row.id);
      }
    },
    listFor(sealed) {
      const ids = new Set(sealed.flatMap((value) => (value === null ? [] : [dataKeyIdOf(value)])));
      return [...ids].map((id) => known.get(id ?? '') ?? missing());
    },
  };
}

function missing(): never {
  throw new Error('a sealed value of this process has a data key of this process');
}
