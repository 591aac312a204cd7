import { describe, expect, it } from 'vitest';
import { createAttemptLimit } from './attempt-limit.ts';

describe('createAttemptLimit', () => {
  it('lets an address be wrong ten times, then once in thirty seconds, and others meanwhile', () => {
    let nowMs = 0;
    const limit = createAttemptLimit(() => nowMs);
    for (let tries = 0; tries < 10; tries += 1) expect(limit.refused('a')).toBe(0);
    expect(limit.refused('a')).toBe(30_000);
    expect(limit.refused('b')).toBe(0);
    nowMs = 30_000;
    expect([limit.refused('a'), limit.refused('a')]).toEqual([0, 30_000]);
  });

  it('lets all together be wrong three hundred times, from however many addresses', () => {
    let nowMs = 0;
    const limit = createAttemptLimit(() => nowMs);
    for (let tries = 0; tries < 300; tries += 1) expect(limit.refused(`address ${tries}`)).toBe(0);
    expect(limit.refused('another')).toBe(200);
    nowMs = 200;
    expect(limit.refused('another')).toBe(0);
  });

  it('counts what one address does beyond its own limit against nobody else', () => {
    const limit = createAttemptLimit(() => 0);
    for (let tries = 0; tries < 1000; tries += 1) limit.refused('a');
    expect(limit.refused('b')).toBe(0);
  });

  it('forgets the oldest of too many addresses', () => {
    const limit = createAttemptLimit(() => 0);
    for (let tries = 0; tries < 10; tries += 1) limit.refused('first');
    for (let address = 0; address < 10_000; address += 1) limit.refused(`${address}`);
    // Only the limit of all together is left.
    expect(limit.refused('first')).toBeLessThanOrEqual(200);
  });
});
