import type { KeyObject } from 'node:crypto';

/** What a keyed hash is for; each purpose has its own key. */
export const LOOKUP_PURPOSES = [
  'source-secret',
  'api-key',
  'session',
  'idempotency-key',
  'payload',
  'ordering-key',
  'signing-secret',
] as const;
export type LookupPurpose = (typeof LOOKUP_PURPOSES)[number];

/** The two keys of a lookup purpose: one for bytes and UTF-8 text, one for text that UTF-8 cannot carry. */
export interface LookupKeys {
  readonly bytes: KeyObject;
  readonly codeUnits: KeyObject;
}

/** The worker's public key, to which data keys are wrapped; `id` is derived from the key itself. */
export interface Recipient {
  readonly id: string;
  readonly publicKey: Uint8Array<ArrayBuffer>;
}

/** The seal side of the key material: enough to name and to seal, and nothing that opens. */
export interface Keyring {
  readonly id: string;
  readonly fingerprint: { readonly current: number; readonly keys: ReadonlyMap<number, KeyObject> };
  readonly observation: KeyObject;
  readonly lookup: Readonly<Record<LookupPurpose, LookupKeys>>;
  /** Chains the rows of the audit trail; derived from the root of the lookup keys, so it is never rotated. */
  readonly audit: KeyObject;
  readonly recipient: Recipient;
  /** Ids of every sealing key that is live: what is wrapped to another one can never be opened. */
  readonly recipientIds: ReadonlySet<string>;
}
