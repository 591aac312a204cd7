import { describe, expect, it } from 'vitest';
import type { LoadedService } from './load-services.ts';
import { Availability } from './service-row.tsx';

const HOUR_MS = 3_600_000;

/** What a person reads of a service that is so old. */
function read(ageHours: number): string {
  const at = new Date('2026-03-14T15:00:00Z');
  const createdAt = new Date(at.getTime() - ageHours * HOUR_MS);
  const record = { createdAt, availableDay: 0.5, availableWeek: 0.75 };
  const html = String(Availability({ loaded: { record } as LoadedService, at }));
  return html
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

describe('the availability of a service', () => {
  it('is told of a day and of a week, or since the service is there if that is shorter', () => {
    expect(read(24 * 30)).toBe('24 hours 50.00 % 7 days 75.00 %');
    expect(read(48)).toMatch(/^24 hours 50\.00 % Since .*12 .* 75\.00 %$/);
    expect(read(1)).toMatch(/^Since .*14:00.* 75\.00 %$/);
  });
});
