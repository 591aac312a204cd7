import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newDeliveryId } from './new-delivery-id.ts';

describe('a delivery id', () => {
  it('is a uuid of version 7 that holds its time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), (nowMs) => {
        const id = newDeliveryId(nowMs);
        expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(nowMs);
      }),
    );
  });

  it('is never given out twice, however many one millisecond needs', () => {
    const ids = Array.from({ length: 20_000 }, () => newDeliveryId(1_800_000_000_000));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
