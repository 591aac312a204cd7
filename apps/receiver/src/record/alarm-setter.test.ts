import type { Alarm } from '@tidegate/queue';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAlarmSetter } from './alarm-setter.ts';

const START_MS = Date.UTC(2026, 0, 1);

function watched() {
  const published: Alarm[] = [];
  const clock = { nowMs: START_MS };
  let failures = 0;
  const set = createAlarmSetter(
    {
      publish: (alarms) => {
        if (failures > 0) {
          failures -= 1;
          return Promise.reject(new Error('the queue is away'));
        }
        published.push(...alarms);
        return Promise.resolve();
      },
    },
    () => clock.nowMs,
  );
  return { published, clock, set, fail: (times: number) => (failures = times) };
}

const at = (offsetMs: number) => new Date(START_MS + offsetMs);
const due = (offsetMs: number) => START_MS + offsetMs;

describe('setting alarms', () => {
  it('rounds up to a bucket that is still to come', () => {
    const { published, set } = watched();
    set('verify', [at(-5000), at(0), at(1), at(250), at(251)]);
    expect(published).toEqual([
      { room: 'verify', dueAtMs: due(250) },
      { room: 'verify', dueAtMs: due(500) },
    ]);
  });

  it('sets a bucket once, and once more the one after it', () => {
    const { published, set } = watched();
    for (let times = 0; times < 100; times += 1) set('verify', [at(5000)]);
    expect(published.map((alarm) => alarm.dueAtMs)).toEqual([due(5000), due(5250)]);
  });

  it('keeps rooms apart, and calls nobody for nothing', () => {
    const { published, set } = watched();
    set('verify', []);
    set('verify', [at(1000)]);
    set('correlate', [at(1000)]);
    expect(published.map((alarm) => alarm.room)).toEqual(['verify', 'correlate']);
  });

  it('asks again for what could not be set', async () => {
    const { published, set, fail } = watched();
    fail(1);
    set('correlate', [at(1000)]);
    await Promise.resolve();
    await Promise.resolve();
    set('correlate', [at(1000)]);
    expect(published).toEqual([{ room: 'correlate', dueAtMs: due(1000) }]);
  });

  it('always leaves an alarm at or soon after each due time, and never one per call', () => {
    const calls = fc.array(fc.record({ passMs: fc.nat(400), dueInMs: fc.integer({ min: -1000, max: 6000 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(calls, (history) => {
        const { published, clock, set } = watched();
        for (const { passMs, dueInMs } of history) {
          clock.nowMs += passMs;
          const dueMs = clock.nowMs + dueInMs;
          set('verify', [new Date(dueMs)]);
          const wakes = published.map((alarm) => alarm.dueAtMs).filter((wake) => wake > clock.nowMs && wake >= dueMs);
          expect(Math.min(...wakes)).toBeLessThanOrEqual(Math.max(dueMs, clock.nowMs) + 250);
        }
        expect(new Set(published.map((alarm) => alarm.dueAtMs)).size).toBe(published.length);
      }),
    );
  });
});
