import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FlapTally, tallyFlapping } from './tally-flapping.ts';

const look = fc.record({
  transitions: fc.array(
    fc.record({ alias: fc.constantFrom('dev_a', 'tun_a', 'tun_b'), at: fc.array(fc.nat(1000), { maxLength: 9 }) }),
    { maxLength: 3 },
  ),
  down: fc.subarray(['dev_a', 'tun_a', 'tun_b']),
  device: fc.constantFrom('dev_a', null),
});
const looks = fc.array(fc.tuple(look, fc.nat(1000)), { minLength: 1, maxLength: 30 }).map((given) => {
  const times = given.map(([, at]) => at).sort((a, b) => a - b);
  return given.map(([seen], index) => [seen, times[index] ?? 0] as const);
});

describe('tallyFlapping', () => {
  it('tells a bounded number of times, never counts back, and never forgets the worst', () => {
    fc.assert(
      fc.property(looks, (given) => {
        let before: FlapTally | null = null;
        let told = 0;
        for (const [seen, now] of given) {
          const { tally, news } = tallyFlapping(before, seen, now);
          expect(tally.changes).toBeGreaterThanOrEqual(before?.changes ?? 0);
          expect(tally.told).toBeLessThanOrEqual(tally.changes);
          if (before?.worst === 'device') expect(tally.worst).toBe('device');
          if (before !== null && before.told > 0) expect(tally.changes < 2 * before.told || news).toBe(true);
          told += news ? 1 : 0;
          before = tally;
        }
        // One for each doubling, one for each way it can get worse.
        expect(told).toBeLessThanOrEqual(Math.ceil(Math.log2(1 + (before?.changes ?? 0))) + 3);
      }),
      { numRuns: 500 },
    );
  });

  it('counts each change once, whichever look sees it', () => {
    const at = [10, 20, 30, 40];
    const seen = { transitions: [{ alias: 'tun_a', at }], down: [], device: 'dev_a' };
    const first = tallyFlapping(null, seen, 25).tally;
    expect(first).toEqual({ changes: 2, countedAt: 25, told: 2, worst: 'tunnel' });
    expect(tallyFlapping(first, seen, 50)).toEqual({
      tally: { changes: 4, countedAt: 50, told: 4, worst: 'tunnel' },
      news: true,
    });
  });
});
