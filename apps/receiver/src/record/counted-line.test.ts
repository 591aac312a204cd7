import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCountedLine } from './counted-line.ts';

describe('a line that counts', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is written at once while commits are rare', () => {
    const lines: number[] = [];
    const count = createCountedLine((sum) => lines.push(sum));
    count(3);
    vi.advanceTimersByTime(1000);
    count(2);
    expect(lines).toEqual([3, 2]);
  });

  it('is one line per quarter second while they are not, and loses none', () => {
    const lines: number[] = [];
    const count = createCountedLine((sum) => lines.push(sum));
    for (let commits = 0; commits < 1000; commits += 1) {
      count(5);
      vi.advanceTimersByTime(1);
    }
    vi.advanceTimersByTime(250);
    expect(lines.reduce((sum, line) => sum + line, 0)).toBe(5000);
    expect(lines.length).toBeLessThanOrEqual(6);
    vi.advanceTimersByTime(250);
    expect(vi.getTimerCount()).toBe(0);
  });
});
