import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawLane, placeOf, type Span } from './lane.ts';

const SPAN: Span = { fromMs: 1000, untilMs: 2000 };

describe('drawLane', () => {
  it('lets each change last until the next one of another kind', () => {
    const changes = [
      { atMs: 1100, kind: 'connected' },
      { atMs: 1200, kind: 'disconnected' },
      { atMs: 1300, kind: 'disconnected' },
      { atMs: 1500, kind: 'connected' },
    ];
    expect(drawLane(changes, SPAN)).toEqual([
      { kind: 'connected', from: 0.1, to: 0.2 },
      { kind: 'disconnected', from: 0.2, to: 0.5 },
      { kind: 'connected', from: 0.5, to: 1 },
    ]);
  });

  it('begins at the edge with what was so before the picture, and draws nothing that came after it', () => {
    const changes = [
      { atMs: 10, kind: 'connected' },
      { atMs: 20, kind: 'disconnected' },
      { atMs: 5000, kind: 'connected' },
    ];
    expect(drawLane(changes, SPAN)).toEqual([{ kind: 'disconnected', from: 0, to: 1 }]);
  });

  it('leaves no gap and no overlap, whatever happened', () => {
    const change = fc.record({ atMs: fc.integer({ min: 0, max: 3000 }), kind: fc.constantFrom('a', 'b', 'c') });
    fc.assert(
      fc.property(fc.array(change), (found) => {
        const lane = drawLane(
          found.toSorted((a, b) => a.atMs - b.atMs),
          SPAN,
        );
        for (const [at, stretch] of lane.entries()) {
          expect(stretch.to).toBeGreaterThan(stretch.from);
          expect(stretch.to).toBe(lane[at + 1]?.from ?? 1);
        }
      }),
    );
  });
});

describe('placeOf', () => {
  it('stays inside, also of a picture without a width', () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer(), fc.integer(), (atMs, fromMs, untilMs) => {
        const place = placeOf(atMs, { fromMs, untilMs });
        expect(place).toBeGreaterThanOrEqual(0);
        expect(place).toBeLessThanOrEqual(1);
      }),
    );
  });
});
