import type { KeyObject } from 'node:crypto';
import type { Keyring } from '../keyring/keyring.ts';
import { type DataKeyRow, newDataKey } from './new-data-key.ts';
import { dataKeyIdBytes, SEALED_VERSION } from './sealed-layout.ts';

const REPLACE_AFTER_MS = 60 * 60 * 1000;
const RETRY_REPLACING_AFTER_MS = 5_000;
const REPLACE_AFTER_VALUES = 2 ** 30;
/**
 * Random IVs are sound for 2^32 values under one key (NIST SP 800-38D, 8.3): four times the count that asks for a new
 * one.
 */
const LIMIT_PER_REPLACEMENT = 4;

export interface SealerOptions {
  /** Its recipient may change while the sealer lives (`watchKeyring`). */
  readonly keyring: Pick<Keyring, 'recipient'>;
  /** Stores a wrapped data key durably; called once per data key, before a value sealed under it is handed out. */
  readonly saveDataKey: (row: DataKeyRow) => Promise<void>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /**
   * Told when a data key could not be replaced in the background; the old one serves on and replacing is tried again.
   */
  readonly onReplaceFailed?: (error: unknown) => void;
  /** How many values ask for the next data key; 2^30 unless given. */
  readonly replaceAfterValues?: number;
}

/** A stored data key in use; `header` begins every value sealed under it, `sealed` counts them. */
export interface ServingKey {
  readonly key: KeyObject;
  readonly recipientKeyId: string;
  readonly header: Buffer;
  readonly madeAtMs: number;
  sealed: number;
}

/** The data keys of one process, one after the other. */
export interface DataKeyTurns {
  /**
   * The data key to seal under, or null when none is stored or the last one is worn out. One that is due is replaced
   * behind it.
   */
  usable(): ServingKey | null;
  /** Makes and stores the next data key; calls at the same time share one. Rejects with the error of `saveDataKey`. */
  replace(): Promise<void>;
}

/** Hands out the data key whose turn it is, and sees to its successor. */
export function createDataKeyTurns(options: SealerOptions): DataKeyTurns {
  const { now, replaceAfterValues = REPLACE_AFTER_VALUES } = options;
  let serving: ServingKey | null = null;
  let replacing: Promise<void> | null = null;
  let retryAtMs = Number.NEGATIVE_INFINITY;

  async function makeNext(): Promise<void> {
    const madeAtMs = now();
    const { key, row } = await newDataKey(options.keyring.recipient);
    await options.saveDataKey(row);
    const header = Buffer.concat([Buffer.of(SEALED_VERSION), dataKeyIdBytes(row.id)]);
    serving = { key, recipientKeyId: row.recipientKeyId, header, madeAtMs, sealed: 0 };
  }

  function replace(): Promise<void> {
    replacing ??= makeNext().finally(() => {
      replacing = null;
    });
    return replacing;
  }

  function replaceInBackground(): void {
    if (replacing !== null || now() < retryAtMs) return;
    replace().catch((error: unknown) => {
      retryAtMs = now() + RETRY_REPLACING_AFTER_MS;
      options.onReplaceFailed?.(error);
    });
  }

  /**
   * By the distance of the clocks, so that a clock set back cannot keep a key for longer than it was set back. After a
   * rotation at once: the old private key may be rotated because somebody else has it.
   */
  function isDue({ sealed, madeAtMs, recipientKeyId }: ServingKey): boolean {
    if (recipientKeyId !== options.keyring.recipient.id) return true;
    return sealed >= replaceAfterValues || Math.abs(now() - madeAtMs) >= REPLACE_AFTER_MS;
  }

  return {
    usable() {
      if (serving === null || serving.sealed >= replaceAfterValues * LIMIT_PER_REPLACEMENT) return null;
      if (isDue(serving)) replaceInBackground();
      return serving;
    },
    replace,
  };
}
