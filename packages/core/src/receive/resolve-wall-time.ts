import { AppError } from '../model/app-error.ts';
import { daysSinceEpoch } from './days-since-epoch.ts';

const MS_PER_DAY = 86_400_000;

interface Zone {
  readonly formatter: Intl.DateTimeFormat;
  /**
   * The last wall day asked for; its `offsetMs` is null when a transition is near and each time needs its own answer.
   */
  day: number;
  offsetMs: number | null;
}

const zones = new Map<string, Zone>();

/**
 * Turns a wall time (milliseconds, as if the wall showed UTC) of an IANA time zone into milliseconds since the epoch.
 * A time that happens twice (fold) is the earlier instant. A time that never happens (gap) moves forward by the gap's
 * length, as if the clocks had not yet changed. Throws AppError `time_zone_unknown`.
 */
export function resolveWallTime(wallMs: number, timeZone: string): number {
  if (timeZone === 'UTC') return wallMs;
  const zone = zoneNamed(timeZone);
  const day = Math.floor(wallMs / MS_PER_DAY);
  if (day !== zone.day) {
    zone.offsetMs = steadyOffsetMs(zone.formatter, day);
    zone.day = day;
  }
  return zone.offsetMs === null ? resolveNearTransition(zone.formatter, wallMs) : wallMs - zone.offsetMs;
}

function zoneNamed(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    zone = { formatter: createFormatter(timeZone), day: Number.NaN, offsetMs: null };
    zones.set(timeZone, zone);
  }
  return zone;
}

function createFormatter(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (cause) {
    throw new AppError({ code: 'time_zone_unknown', publicMessage: 'A source names an unknown time zone.', cause });
  }
}

/**
 * The offset of a whole wall day; null when it changes near it. Asking the formatter costs µs, and bursts share a day.
 */
function steadyOffsetMs(formatter: Intl.DateTimeFormat, day: number): number | null {
  const offsetMs = offsetAt(formatter, (day - 1) * MS_PER_DAY);
  for (const later of [day, day + 1, day + 2]) {
    if (offsetAt(formatter, later * MS_PER_DAY) !== offsetMs) return null;
  }
  return offsetMs;
}

function resolveNearTransition(formatter: Intl.DateTimeFormat, wallMs: number): number {
  const before = offsetAt(formatter, wallMs - MS_PER_DAY);
  const after = offsetAt(formatter, wallMs + MS_PER_DAY);
  const candidates = [wallMs - before, wallMs - after].filter((utcMs) => utcMs + offsetAt(formatter, utcMs) === wallMs);
  return candidates.length === 0 ? wallMs - before : Math.min(...candidates);
}

/** Milliseconds by which the zone's wall clock is ahead of UTC at an instant; whole seconds, as old offsets need. */
function offsetAt(formatter: Intl.DateTimeFormat, utcMs: number): number {
  const second = Math.floor(utcMs / 1000) * 1000;
  const part: Record<string, string> = {};
  for (const { type, value } of formatter.formatToParts(second)) part[type] = value;
  const year = part.era === 'BC' ? 1 - Number(part.year) : Number(part.year);
  const days = daysSinceEpoch(year, Number(part.month), Number(part.day));
  const wallSeconds = ((days * 24 + Number(part.hour)) * 60 + Number(part.minute)) * 60 + Number(part.second);
  return wallSeconds * 1000 - second;
}
