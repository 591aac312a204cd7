import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import type { Recipient } from '../keyring/keyring.ts';
import { DATA_KEY_INFO, hpkeSuite, WRAPPED_VERSION } from './hpke-suite.ts';
import { dataKeyIdBytes } from './sealed-layout.ts';

const KEY_BYTES = 32;

/** A wrapped data key as it is stored; `id` is a uuid, `recipientKeyId` names the private key that unwraps it. */
export interface DataKeyRow {
  readonly id: string;
  readonly wrapped: Buffer;
  readonly recipientKeyId: string;
}

/**
 * Makes a data key and wraps it to the recipient's public key; the answer's `key` seals, and prints without its bytes.
 */
export async function newDataKey(recipient: Recipient): Promise<{ key: KeyObject; row: DataKeyRow }> {
  const id = randomUUID();
  const raw = new Uint8Array(randomBytes(KEY_BYTES));
  const row = await wrapDataKey(recipient, id, raw);
  const key = createSecretKey(raw);
  raw.fill(0);
  return { key, row };
}

/** Wraps a data key to a recipient; its id is part of what the wrapping covers. */
export async function wrapDataKey(recipient: Recipient, id: string, raw: Uint8Array<ArrayBuffer>): Promise<DataKeyRow> {
  const recipientPublicKey = await hpkeSuite.kem.deserializePublicKey(recipient.publicKey);
  const { enc, ct } = await hpkeSuite.seal({ recipientPublicKey, info: DATA_KEY_INFO }, raw, dataKeyIdBytes(id));
  const wrapped = Buffer.concat([Buffer.of(WRAPPED_VERSION), Buffer.from(enc), Buffer.from(ct)]);
  return { id, wrapped, recipientKeyId: recipient.id };
}
