import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BusyGroups } from './busy-groups.ts';

const group = (place: number) => ({ place, pending: null, lookAgainAt: null, open: null }) as const;
const restless = (place: number) => ({ ...group(place), lookAgainAt: 1 });

describe('the busy groups of a replay', () => {
  it('are those that were touched and to which something can still happen, in the order of play', () => {
    const placesArb = fc.uniqueArray(fc.nat(5000), { maxLength: 30 });
    fc.assert(
      fc.property(placesArb, placesArb, (calm, awake) => {
        const busy = new BusyGroups();
        for (const place of calm) busy.touch(group(place));
        for (const place of awake) busy.touch(restless(place));
        expect(busy.list().map(({ place }) => place)).toEqual([...awake].sort((a, b) => a - b));
      }),
    );
  });

  it('are told as changed once', () => {
    const busy = new BusyGroups();
    const one = restless(1);
    busy.touch(one);
    busy.touch(one);
    expect([...busy.takeChanged()]).toEqual([one]);
    expect([...busy.takeChanged()]).toEqual([]);
    busy.touch(one);
    expect([...busy.takeChanged()]).toEqual([one]);
  });

  it('forget who has calmed down', () => {
    const busy = new BusyGroups<{ place: number; pending: object | null; lookAgainAt: null; open: null }>();
    const one = { place: 1, pending: {} as object | null, lookAgainAt: null, open: null };
    busy.touch(one);
    expect(busy.list()).toEqual([one]);
    one.pending = null;
    expect(busy.list()).toEqual([]);
  });
});
