import { daysSinceEpoch } from './days-since-epoch.ts';
import { resolveWallTime } from './resolve-wall-time.ts';

/** Which rule placed the date on the time line: its own `Z`, its own offset, or the source's time zone. */
export type ActionDateZone = 'utc' | 'offset' | 'assumed';

/**
 * `unreadable`: another format. `not_a_time`: no such calendar time. `default_value`: .NET's empty date, 0001-01-01.
 */
export type UndatedReason = 'unreadable' | 'not_a_time' | 'default_value';

export type ActionDate =
  | { readonly kind: 'dated'; readonly ticks: bigint; readonly zone: ActionDateZone }
  | { readonly kind: 'undated'; readonly why: UndatedReason };

const SHAPE = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,7}))?(?:(Z)|([+-])(\d{2}):?(\d{2}))?$/;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const MS_PER_MINUTE = 60_000;
const TICKS_PER_MS = 10_000n;
const TICKS_PER_SECOND = 10_000_000;
const MAX_OFFSET_MINUTES = 14 * 60;

/**
 * Reads a webhook's ActionDate into ticks of 100 ns since the Unix epoch (negative before it), exactly: `T` or one
 * space, 0–7 fractional digits, then `Z`, `±hh:mm`, `±hhmm` or nothing. Without a zone it is a wall time in `timeZone`
 * (IANA name), read as `resolveWallTime` says; the process's time zone plays no part. Source of the rule: DESIGN §4.
 * Throws AppError `time_zone_unknown`, which a checked config rules out.
 */
export function parseActionDate(text: string, timeZone: string): ActionDate {
  const match = SHAPE.exec(text);
  if (match === null) return { kind: 'undated', why: 'unreadable' };
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hour, minute, second] = [Number(match[4]), Number(match[5]), Number(match[6])];
  if (year < 1 || day < 1 || day > daysInMonth(year, month) || hour > 23 || minute > 59 || second > 59) {
    return { kind: 'undated', why: 'not_a_time' };
  }
  // DateTime.MinValue, also after a conversion to local time moved its hours: a date nobody set.
  if (year === 1 && month === 1 && day === 1) return { kind: 'undated', why: 'default_value' };

  const wallMs = (((daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute) * 60 + second) * 1000;
  const fraction = BigInt(fractionTicks(match[7]));
  if (match[8] !== undefined) return dated(wallMs, fraction, 'utc');
  if (match[9] === undefined) return dated(resolveWallTime(wallMs, timeZone), fraction, 'assumed');
  const [offsetHour, offsetMinute] = [Number(match[10]), Number(match[11])];
  const offset = offsetHour * 60 + offsetMinute;
  // .NET's DateTimeOffset knows no offset beyond 14 hours, so a larger one is damage, not a date.
  if (offsetMinute > 59 || offset > MAX_OFFSET_MINUTES) return { kind: 'undated', why: 'not_a_time' };
  return dated(wallMs - (match[9] === '-' ? -offset : offset) * MS_PER_MINUTE, fraction, 'offset');
}

function dated(utcMs: number, fraction: bigint, zone: ActionDateZone): ActionDate {
  return { kind: 'dated', ticks: BigInt(utcMs) * TICKS_PER_MS + fraction, zone };
}

function fractionTicks(digits: string | undefined): number {
  return digits === undefined ? 0 : (Number(digits) * TICKS_PER_SECOND) / 10 ** digits.length;
}

/** 0 for a month that does not exist, so that no day fits it. */
function daysInMonth(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (DAYS_IN_MONTH[month - 1] ?? 0) + (leap ? 1 : 0);
}
