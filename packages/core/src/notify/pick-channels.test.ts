import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEVERITIES } from '../model/notification.ts';
import { WEEKDAYS } from './is-within.ts';
import { pickChannels } from './pick-channels.ts';
import { severityOf } from './severity-of.ts';

const name = fc.constantFrom('a', 'b', 'c');
const window = fc.record({
  days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
  fromMinute: fc.integer({ min: 0, max: 1439 }),
  toMinute: fc.integer({ min: 1, max: 1440 }),
  timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
});
const route = fc.record({
  channels: fc.array(name, { minLength: 1, maxLength: 3 }),
  severities: fc.subarray([...SEVERITIES], { minLength: 1 }),
  services: fc.option(fc.array(name, { minLength: 1 }), { nil: null }),
  during: fc.option(fc.array(window, { minLength: 1, maxLength: 2 }), { nil: null }),
});
const about = fc.record({ severity: fc.constantFrom(...SEVERITIES), services: fc.array(name, { maxLength: 3 }) });
const instant = fc.integer({ min: 0, max: 2_000_000_000 }).map((second) => second * 1000);

describe('the channels of a notification', () => {
  it('are those of the routes that fit, and each more route only adds to them', () => {
    fc.assert(
      fc.property(fc.array(route, { maxLength: 4 }), route, about, instant, (routes, more, what, nowMs) => {
        const { now, later } = pickChannels(routes, what, nowMs);
        const fitting = routes.filter(
          ({ severities, services }) =>
            severities.includes(what.severity) &&
            (services === null || services.some((service) => what.services.includes(service))),
        );
        expect([...now, ...later].sort()).toEqual([...new Set(fitting.flatMap(({ channels }) => channels))].sort());
        expect([...now].filter((channel) => later.has(channel))).toEqual([]);
        for (const { channels, during } of fitting) {
          if (during === null) for (const channel of channels) expect(now).toContain(channel);
        }
        const added = pickChannels([...routes, more], what, nowMs);
        for (const channel of now) expect(added.now).toContain(channel);
      }),
      { numRuns: 1000 },
    );
  });

  it('are told by severity: what cuts services off, what comes and goes, what concerns none', () => {
    const severity = (kind: Parameters<typeof severityOf>[0]['kind'], ...services: string[]) =>
      severityOf(
        { kind, services },
        new Map([
          ['low', 'info'],
          ['mid', 'warning'],
        ] as const),
      );
    expect(severity('device', 'a')).toBe('critical');
    expect(severity('mass')).toBe('critical');
    expect(severity('flapping', 'a')).toBe('warning');
    expect(severity('review', 'a')).toBe('warning');
    expect(severity('tunnel')).toBe('info');
    // The most important of its services counts.
    expect(severity('device', 'low', 'mid')).toBe('warning');
    expect(severity('device', 'low', 'a')).toBe('critical');
    expect(severity('flapping', 'low')).toBe('info');
  });
});
