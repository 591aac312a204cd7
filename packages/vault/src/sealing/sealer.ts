import { createCipheriv } from 'node:crypto';
import { AppError } from '@tidegate/core';
import { isWellFormed } from '../naming/is-well-formed.ts';
import { takeRandomBytes } from '../naming/take-random-bytes.ts';
import { createDataKeyTurns, type SealerOptions, type ServingKey } from './data-key-turns.ts';
import {
  IV_AT,
  IV_BYTES,
  SEALED_CIPHER,
  type SealedPlace,
  sealedAdditionalData,
  TAG_BYTES,
  TEXT_AT,
} from './sealed-layout.ts';

export interface Sealer {
  /**
   * Resolves once a stored data key serves: at once, except for the first and for one worn out. Await it before `seal`.
   * Rejects with the error of `saveDataKey`; the next call tries again.
   */
  ready(): Promise<void>;
  /**
   * Seals a value (text as UTF-8) to its place with AES-256-GCM.
   * @throws AppError `sealer_not_ready` when no stored data key serves; `value_not_well_formed` for text with a lone
   * surrogate.
   */
  seal(plain: Uint8Array | string, place: SealedPlace): Buffer;
}

/**
 * A sealer with data keys of its own: one per process, replaced hourly and after 2^30 values while the old one still
 * serves.
 */
export function createSealer(options: SealerOptions): Sealer {
  const turns = createDataKeyTurns(options);
  const done = Promise.resolve();
  return {
    ready: () => (turns.usable() === null ? turns.replace() : done),
    seal(plain, place) {
      const usable = turns.usable();
      if (usable === null) throw notReady();
      if (typeof plain === 'string' && !isWellFormed(plain)) throw notWellFormed();
      usable.sealed += 1;
      return sealUnder(usable, plain, place);
    },
  };
}

function sealUnder({ key, header }: ServingKey, plain: Uint8Array | string, place: SealedPlace): Buffer {
  const size = typeof plain === 'string' ? Buffer.byteLength(plain) : plain.byteLength;
  const sealed = Buffer.allocUnsafe(TEXT_AT + size + TAG_BYTES);
  header.copy(sealed);
  takeRandomBytes(IV_BYTES).copy(sealed, IV_AT);
  const cipher = createCipheriv(SEALED_CIPHER, key, sealed.subarray(IV_AT, TEXT_AT), { authTagLength: TAG_BYTES });
  cipher.setAAD(sealedAdditionalData(place));
  const text = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
  text.copy(sealed, TEXT_AT);
  cipher.final();
  cipher.getAuthTag().copy(sealed, TEXT_AT + size);
  return sealed;
}

function notReady(): AppError {
  return new AppError({
    code: 'sealer_not_ready',
    publicMessage: 'Values cannot be sealed yet, because no data key has been stored.',
    retryable: true,
  });
}

function notWellFormed(): AppError {
  return new AppError({
    code: 'value_not_well_formed',
    publicMessage: 'A text with a lone surrogate cannot be stored without loss.',
  });
}
