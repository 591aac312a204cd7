import { join } from 'node:path';
import { addOpenedValues, claimKeyring, loadDataKey, type Sql, withVaultLock } from '@tidegate/store';
import type { Keyring } from '@tidegate/vault';
import { createOpener, loadOpeningKeyring, type Opener, type OpeningKeyring } from '@tidegate/vault/open';
import { withStore } from '../keys/with-store.ts';
import { silentAfterMs } from '../receivers/silent-after-ms.ts';

/** What a command has that opens: for nothing but `tidegate vault`. */
export interface VaultContext {
  readonly sql: Sql;
  readonly dir: string;
  readonly keyring: Keyring;
  readonly opening: OpeningKeyring;
  readonly opener: Opener;
  /** How long a receiver may be unheard before it may hold something back. */
  readonly silentAfterMs: number;
  /** Writes down how many values were opened so far, as the worker does for its own. */
  countOpenings(): Promise<void>;
}

/**
 * Runs a vault command: the keyring must be whole, and the one this database belongs to; of commands that change keys one
 * runs at a time. Failures become one sentence.
 */
export async function withVault(work: (vault: VaultContext) => Promise<void>): Promise<void> {
  await withStore(async (sql, keyring, env) => {
    await claimKeyring(sql, keyring.id);
    const dir = join(env.dataDir, 'keyring');
    const opening = await loadOpeningKeyring(dir);
    let opened = new Map<string, number>();
    const opener = createOpener({
      keyring: opening,
      loadDataKey: (id) => loadDataKey(sql, id),
      onOpened: (purpose) => opened.set(purpose, (opened.get(purpose) ?? 0) + 1),
    });
    const countOpenings = async () => {
      const counts = opened;
      opened = new Map();
      await addOpenedValues(sql, counts);
    };
    const vault = { sql, dir, keyring, opening, opener, silentAfterMs: silentAfterMs(env), countOpenings };
    await withVaultLock(sql, () => work(vault));
  });
}
