import { createDecipheriv, type KeyObject } from 'node:crypto';
import {
  SEALED_CIPHER,
  type SealedPlace,
  type SealPurpose,
  sealedAdditionalData,
  splitSealed,
  TAG_BYTES,
} from '../sealing/sealed-layout.ts';
import { createDataKeyCache } from './data-key-cache.ts';
import type { OpeningKeyring } from './load-opening-keyring.ts';
import { dataKeyMissing, sealedValueCorrupt, sealingKeyMissing } from './opening-errors.ts';
import { unwrapDataKey } from './unwrap-data-key.ts';

export interface OpenerOptions {
  readonly keyring: OpeningKeyring;
  /** Reads a stored data key by its id (a uuid); null when there is none. */
  readonly loadDataKey: (id: string) => Promise<{ wrapped: Uint8Array; recipientKeyId: string } | null>;
  /** Told of every value opened, before it is handed out; if it throws, the value is not. */
  readonly onOpened?: (purpose: SealPurpose) => void;
  /** How many unwrapped data keys are kept, the least recently used going first; 256 unless given. */
  readonly maxDataKeys?: number;
}

export interface Opener {
  /**
   * Opens a value sealed to this very place. Errors never hold any of the value.
   * @throws AppError `sealed_value_corrupt` when the value or its data key is damaged or belongs to another place;
   * `data_key_missing` when its data key is not stored; `sealing_key_missing` when the keyring lacks the private key.
   */
  open(sealed: Uint8Array, place: SealedPlace): Promise<Buffer>;
}

/** An opener that keeps a bounded number of unwrapped data keys. */
export function createOpener({ keyring, loadDataKey, onOpened, maxDataKeys }: OpenerOptions): Opener {
  const dataKeys = createDataKeyCache(async (id) => {
    const row = await loadDataKey(id);
    if (row === null) throw dataKeyMissing();
    const recipientKey = keyring.privateKeys.get(row.recipientKeyId);
    if (recipientKey === undefined) throw sealingKeyMissing(row.recipientKeyId);
    const key = await unwrapDataKey(recipientKey, id, row.wrapped);
    if (key === null) throw sealedValueCorrupt();
    return key;
  }, maxDataKeys);

  return {
    async open(sealed, place) {
      const parts = splitSealed(sealed);
      if (parts === null) throw sealedValueCorrupt();
      const plain = decrypt(await dataKeys.get(parts.dataKeyId), parts, place);
      if (plain === null) throw sealedValueCorrupt();
      onOpened?.(place.purpose);
      return plain;
    },
  };
}

function decrypt(
  key: KeyObject,
  parts: { readonly iv: Buffer; readonly ciphertext: Buffer; readonly tag: Buffer },
  place: SealedPlace,
): Buffer | null {
  const decipher = createDecipheriv(SEALED_CIPHER, key, parts.iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(sealedAdditionalData(place));
  decipher.setAuthTag(parts.tag);
  const plain = decipher.update(parts.ciphertext);
  try {
    decipher.final();
    return plain;
  } catch {
    plain.fill(0);
    return null;
  }
}
