import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alarmId, BUCKET_MS, bucketAlarms, bucketOf, MAX_AHEAD_MS } from './alarm.ts';

const nowMs = fc.integer({ min: 1_700_000_000_000, max: 2_100_000_000_000 });
const offsetMs = fc.integer({ min: -MAX_AHEAD_MS, max: MAX_AHEAD_MS });

describe('the bucket of an alarm', () => {
  it('is a whole bucket, strictly in the future and never before the due time', () => {
    fc.assert(
      fc.property(nowMs, offsetMs, (now, offset) => {
        const bucket = bucketOf(now + offset, now);
        expect(bucket % BUCKET_MS).toBe(0);
        expect(bucket).toBeGreaterThan(now);
        expect(bucket).toBeGreaterThanOrEqual(now + offset);
      }),
    );
  });

  it('comes less than one bucket after the later of due time and now', () => {
    fc.assert(
      fc.property(nowMs, offsetMs, (now, offset) => {
        expect(bucketOf(now + offset, now) - Math.max(now + offset, now)).toBeLessThanOrEqual(BUCKET_MS);
      }),
    );
  });

  it('cuts waits that are longer than the queue can store', () => {
    expect(bucketOf(Number.MAX_VALUE, 0)).toBe(MAX_AHEAD_MS);
  });
});

describe('the jobs of a list of alarms', () => {
  it('are one per room and bucket', () => {
    fc.assert(
      fc.property(nowMs, fc.array(fc.integer({ min: 0, max: 2000 })), (now, offsets) => {
        const alarms = offsets.flatMap((offset) => [
          { room: 'correlate' as const, dueAtMs: now + offset },
          { room: 'verify' as const, dueAtMs: now + offset },
        ]);
        const ids = bucketAlarms(alarms, now).map(({ room, bucketMs }) => alarmId(room, bucketMs));
        expect(new Set(ids).size).toBe(ids.length);
        expect(new Set(ids)).toEqual(new Set(alarms.map((a) => alarmId(a.room, bucketOf(a.dueAtMs, now)))));
      }),
    );
  });

  it('have ids that BullMQ accepts: no colon, no bare integer', () => {
    expect(alarmId('verify', 1_700_000_000_250)).toBe('verify-1700000000250');
  });

  it.each([
    [{ room: 'kitchen', dueAtMs: 1 }],
    [{ room: 'verify', dueAtMs: Number.NaN }],
    [{ room: 'verify', dueAtMs: Number.POSITIVE_INFINITY }],
  ])('refuse %j', (alarm) => {
    expect(() => bucketAlarms([alarm as never], 0)).toThrow(expect.objectContaining({ code: 'alarm_invalid' }));
  });
});
