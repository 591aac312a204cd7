import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord, type SpooledRecord } from './spooled-record.ts';

const bytes = fc.uint8Array({ maxLength: 60 }).map((value) => Buffer.from(value));
const fingerprint = fc.record({ version: fc.nat(), value: bytes });
const dataKeys = fc.array(fc.record({ id: fc.uuid(), wrapped: bytes, recipientKeyId: fc.string() }), { maxLength: 2 });
const delivery = fc.record({
  kind: fc.constant('delivery' as const),
  subject: fc.record({
    group: fc.string({ unit: 'grapheme' }),
    type: fc.constantFrom('device' as const, 'tunnel' as const),
    fingerprint,
    otherFingerprints: fc.array(fingerprint, { maxLength: 2 }),
    alias: fc.string(),
    publicId: fc.option(fc.string()),
    sealedId: fc.option(bytes),
  }),
  delivery: fc.record({
    deliveryId: fc.uuid(),
    observationKey: fc.uuid(),
    sourceId: fc.nat(),
    status: fc.constantFrom('connected' as const, 'disconnected' as const),
    ticks: fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    zone: fc.option(fc.constantFrom('utc' as const, 'offset' as const, 'assumed' as const)),
    actionDate: fc.option(fc.string()),
    sealedActionDate: fc.option(bytes),
    extraFields: fc.option(fc.string()),
    extraUnnamed: fc.nat(),
  }),
  dataKeys,
});
const body = fc.record({
  kind: fc.constant('body' as const),
  body: fc.record({
    id: fc.string(),
    sourceId: fc.nat(),
    field: fc.string(),
    problem: fc.string(),
    bytes: fc.nat(),
    sealedBody: bytes,
  }),
  verifyGates: fc.boolean(),
  dataKeys,
});

describe('a spooled record', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(fc.oneof(delivery, body), (record: SpooledRecord) => {
        expect(decodeRecord(encodeRecord(record))).toEqual(record);
      }),
    );
  });

  it.each([
    '',
    '{',
    'null',
    '[]',
    '{"version":1}',
    '{"version":2,"record":{"kind":"delivery"}}',
    '{"version":1,"record":{}}',
  ])('is not made up from %j', (text) => {
    expect(decodeRecord(Buffer.from(text))).toBeNull();
  });
});
