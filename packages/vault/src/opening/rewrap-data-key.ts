import { AppError } from '@tidegate/core';
import type { Recipient } from '../keyring/keyring.ts';
import { type DataKeyRow, wrapDataKey } from '../sealing/new-data-key.ts';
import type { OpeningKeyring } from './load-opening-keyring.ts';
import { dataKeyCorrupt, sealingKeyMissing } from './opening-errors.ts';
import { unwrapDataKey } from './unwrap-data-key.ts';

/**
 * Wraps a stored data key anew, to the current recipient. The data key itself stays, and with it every value sealed under
 * it. Takes some 3 ms.
 * @throws AppError `sealing_key_missing` when the keyring lacks the private key it was wrapped to; `data_key_corrupt` when
 * it is damaged or stands in another's row
 */
export async function rewrapDataKey(
  { privateKeys }: OpeningKeyring,
  recipient: Recipient,
  row: { readonly id: string; readonly wrapped: Uint8Array; readonly recipientKeyId: string },
): Promise<DataKeyRow> {
  const recipientKey = privateKeys.get(row.recipientKeyId);
  if (recipientKey === undefined) throw sealingKeyMissing(row.recipientKeyId);
  const key = await unwrapDataKey(recipientKey, row.id, row.wrapped);
  if (key === null) throw dataKeyCorrupt();
  const raw = new Uint8Array(key.export());
  try {
    return await wrapDataKey(recipient, row.id, raw);
  } finally {
    raw.fill(0);
  }
}

/** Whether an error says that what is stored, or the keyring, is not as it should be (and not, say, that the store is away). */
export function isOpeningFailure(error: unknown): error is AppError {
  return error instanceof AppError && OPENING_FAILURES.has(error.code);
}

const OPENING_FAILURES = new Set([
  'sealed_value_corrupt',
  'sealing_key_missing',
  'data_key_missing',
  'data_key_corrupt',
]);
