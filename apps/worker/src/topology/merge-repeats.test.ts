import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeRepeats } from './merge-repeats.ts';

const device = fc.record({
  token: fc.constantFrom('a', 'b', 'c'),
  name: fc.constantFrom('x', null),
  online: fc.constantFrom(true, false, null),
});
const byToken = ({ token }: { token: string }) => token;

describe('a list that names one thing twice', () => {
  it('says of it the worst that any of them says, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.array(device), (devices) => {
        const merged = mergeRepeats(devices, byToken);
        expect(merged.map(byToken)).toEqual([...new Set(devices.map(byToken))]);
        for (const { token, name, online } of merged) {
          const said = devices.filter((item) => item.token === token);
          const worst = [false, true, null].find((value) => said.some((item) => item.online === value));
          expect(online).toBe(worst);
          expect(name).toBe(said.some((item) => item.name === 'x') ? 'x' : null);
        }
      }),
    );
  });

  it('is left as it is when it names nothing twice', () => {
    const devices = [
      { token: 'a', name: 'x', online: true },
      { token: 'b', name: null, online: null },
    ];
    expect(mergeRepeats(devices, byToken)).toEqual(devices);
  });
});
