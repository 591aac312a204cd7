import { sharePlaces } from '@tidegate/core';
import { describe, expect, it } from 'vitest';
import { createCircuits } from './create-circuits.ts';

const HUNG = 'https://hung.example';
const OTHER = 'https://other.example';

describe('circuits of lookups', () => {
  it('open after five failures in a row, for that destination alone, and let two through when the time is over', () => {
    const time = { nowMs: 0 };
    const circuits = createCircuits(() => time.nowMs);
    const left = (origin: string, running = 0) =>
      circuits
        .narrow(
          sharePlaces(30, []),
          Array.from({ length: running }, () => ({ origin, serviceId: 1 })),
        )
        .ofOrigin(origin);
    for (let failures = 0; failures < 5; failures += 1) {
      expect(left(HUNG)).toBe(10);
      circuits.settle(HUNG, 'failing');
    }
    expect([left(HUNG), left(OTHER)]).toEqual([0, 10]);
    time.nowMs = 5000;
    expect([left(HUNG), left(HUNG, 1), left(HUNG, 2)]).toEqual([2, 1, 0]);
    circuits.settle(HUNG, 'healthy');
    expect(left(HUNG)).toBe(2);
    circuits.settle(HUNG, 'healthy');
    expect(left(HUNG)).toBe(10);
  });

  it('forget failures that were not in a row, and count nothing that is no failure of the destination', () => {
    const circuits = createCircuits(() => 0);
    const healths = ['failing', 'failing', 'failing', 'failing', 'healthy', 'failing', 'none', 'busy'] as const;
    for (const health of healths) circuits.settle(HUNG, health);
    expect(circuits.narrow(sharePlaces(30, []), []).ofOrigin(HUNG)).toBe(10);
  });
});
