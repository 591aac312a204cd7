import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupKey } from './group-key.ts';

const alias = (prefix: string) =>
  fc.string({ unit: fc.constantFrom(...'abc234'), minLength: 1, maxLength: 4 }).map((text) => `${prefix}_${text}`);

describe('groupKey', () => {
  it('gives a device and all its tunnels one key, and a tunnel without a device its own', () => {
    fc.assert(
      fc.property(alias('dev'), fc.array(alias('tun')), alias('tun'), (device, tunnels, stray) => {
        expect(groupKey({ type: 'device', alias: device, deviceAlias: null })).toBe(device);
        for (const tunnel of tunnels) {
          expect(groupKey({ type: 'tunnel', alias: tunnel, deviceAlias: device })).toBe(device);
        }
        expect(groupKey({ type: 'tunnel', alias: stray, deviceAlias: null })).toBe(stray);
      }),
    );
  });
});
