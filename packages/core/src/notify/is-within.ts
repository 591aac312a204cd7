import { AppError } from '../model/app-error.ts';

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A part of some days, by the wall clock of one IANA zone. */
export interface TimeWindow {
  /** The days it begins on. */
  readonly days: readonly Weekday[];
  /** Minutes after midnight, 0 to 1439. */
  readonly fromMinute: number;
  /** Minutes after midnight, 1 to 1440, exclusive; not after `fromMinute` means on the next day. */
  readonly toMinute: number;
  readonly timeZone: string;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/**
 * Whether an instant (epoch ms) is in a window. The wall clock decides, so that nine o'clock is nine o'clock on both sides of a
 * change to summer time; an hour that happens twice is in it twice. Throws AppError `time_zone_unknown`.
 */
export function isWithin({ days, fromMinute, toMinute, timeZone }: TimeWindow, nowMs: number): boolean {
  const { day, minute } = wallClock(nowMs, timeZone);
  const today = days.some((name) => name === WEEKDAYS[day]);
  if (toMinute > fromMinute) return today && minute >= fromMinute && minute < toMinute;
  const yesterday = days.some((name) => name === WEEKDAYS[(day + WEEKDAYS.length - 1) % WEEKDAYS.length]);
  return (today && minute >= fromMinute) || (yesterday && minute < toMinute);
}

/** Day of the week, 0 for Monday, and minutes after midnight. */
function wallClock(nowMs: number, timeZone: string): { day: number; minute: number } {
  const part: Record<string, string> = {};
  for (const { type, value } of formatterOf(timeZone).formatToParts(nowMs)) part[type] = value;
  const day = WEEKDAYS.indexOf(part.weekday?.toLowerCase() as Weekday);
  return { day, minute: Number(part.hour) * 60 + Number(part.minute) };
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  try {
    const formatter = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      weekday: 'short',
      hour: 'numeric',
      minute: 'numeric',
    });
    formatters.set(timeZone, formatter);
    return formatter;
  } catch (cause) {
    throw new AppError({ code: 'time_zone_unknown', publicMessage: 'A route names an unknown time zone.', cause });
  }
}
