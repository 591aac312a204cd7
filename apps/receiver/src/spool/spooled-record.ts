import type { DataKeyRow, DeliveryRecord, QuarantinedBody, SubjectIdentity } from '@tidegate/store';

/** A delivery as the store would have kept it: nothing in it needs a key to be recorded, and nothing in it opens. */
export interface SpooledDelivery {
  readonly kind: 'delivery';
  readonly subject: SubjectIdentity;
  /** Its id tells when it was received, by the clock of the receiver. */
  readonly delivery: Omit<DeliveryRecord, 'subjectId'>;
  /** The wrapped data keys it is sealed under: the store may not have them yet. */
  readonly dataKeys: readonly DataKeyRow[];
}

/** A body that was not understood. */
export interface SpooledBody {
  readonly kind: 'body';
  readonly body: QuarantinedBody;
  readonly verifyGates: boolean;
  readonly dataKeys: readonly DataKeyRow[];
}

export type SpooledRecord = SpooledDelivery | SpooledBody;

const VERSION = 1;

/** A record as JSON; bytes and bigints, which JSON has not, are objects with one reserved field. */
export function encodeRecord(record: SpooledRecord): Buffer {
  return Buffer.from(JSON.stringify({ version: VERSION, record: toJson(record) }));
}

/** The record that was encoded, or null for what this code did not write. Its integrity is its frame's affair. */
export function decodeRecord(payload: Buffer): SpooledRecord | null {
  try {
    const { version, record } = JSON.parse(payload.toString('utf8')) as { version: unknown; record: unknown };
    const decoded = version === VERSION ? (fromJson(record) as SpooledRecord) : null;
    return decoded?.kind === 'delivery' || decoded?.kind === 'body' ? decoded : null;
  } catch {
    return null;
  }
}

function toJson(value: unknown): unknown {
  if (typeof value === 'bigint') return { $bigint: String(value) };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, toJson(field)]));
}

function fromJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromJson);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Readonly<Record<string, unknown>>;
  if (typeof fields.$bytes === 'string') return Buffer.from(fields.$bytes, 'base64');
  if (typeof fields.$bigint === 'string') return BigInt(fields.$bigint);
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fromJson(field)]));
}
