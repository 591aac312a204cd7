import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PlaceHolder, sharePlaces } from './share-places.ts';

const PLACES = 128;

/** Work of these hangs for ever, and there is always more of it: rounds are taken until nobody may take another place. */
function hang(places: number, wanted: readonly PlaceHolder[]): PlaceHolder[] {
  const held: PlaceHolder[] = [];
  for (;;) {
    const shares = sharePlaces(places, held);
    const round: PlaceHolder[] = [];
    const may = (one: PlaceHolder) =>
      round.length < shares.total &&
      round.filter(({ origin }) => origin === one.origin).length < shares.ofOrigin(one.origin) &&
      round.filter(({ serviceId }) => serviceId === one.serviceId).length < shares.ofService(one.serviceId);
    for (let before = -1; before < round.length; ) {
      before = round.length;
      for (const one of wanted) if (may(one)) round.push(one);
    }
    if (round.length === 0) return held;
    held.push(...round);
  }
}

const origins = (count: number, serviceId: (index: number) => number) =>
  Array.from({ length: count }, (_, index) => ({ origin: `https://${index}.example`, serviceId: serviceId(index) }));

describe('sharePlaces', () => {
  it.each([
    [1, 43],
    [2, 64],
    [10, 112],
    [40, 127],
  ])('leaves places although %i destinations hang: %i at most are taken', (hanging, taken) => {
    const held = hang(
      PLACES,
      origins(hanging, (index) => index),
    );
    expect(held.length).toBeLessThanOrEqual(taken);
    expect(sharePlaces(PLACES, held).ofOrigin('https://healthy.example')).toBeGreaterThan(0);
    expect(sharePlaces(PLACES, held).ofService(-1)).toBeGreaterThan(0);
  });

  it('leaves a third to the others when every destination of one service hangs', () => {
    const held = hang(
      PLACES,
      origins(200, () => 1),
    );
    expect(held).toHaveLength(86);
    expect(sharePlaces(PLACES, held).ofService(1)).toBe(0);
    expect(sharePlaces(PLACES, held).ofService(2)).toBeGreaterThan(0);
  });

  it('lets a newcomer in while anything is free, and nobody beyond what is free', () => {
    const holder = fc.record({ origin: fc.constantFrom('a', 'b', 'c'), serviceId: fc.constantFrom(1, 2) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.array(holder, { maxLength: 200 }), (places, all) => {
        const held = all.slice(0, places);
        const free = places - held.length;
        const shares = sharePlaces(places, held);
        for (const left of [shares.total, shares.ofOrigin('new'), shares.ofService(9)]) {
          expect(left > 0).toBe(free > 0);
          expect(left).toBeLessThanOrEqual(free);
        }
        for (const { origin, serviceId } of held) {
          expect(shares.ofOrigin(origin)).toBeLessThanOrEqual(free);
          expect(shares.ofService(serviceId)).toBeLessThanOrEqual(free);
        }
      }),
    );
  });
});
