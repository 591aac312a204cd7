const SECONDS = /^\d+$/;
/** Some 30 years. */
const MOST_SECONDS = 999_999_999;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const FIXED = /^[A-Z][a-z]{2}, (?<day>\d{2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/;
const RFC850 = /^[A-Z][a-z]{5,8}, (?<day>\d{2})-(?<month>[A-Z][a-z]{2})-(?<year>\d{2}) (?<time>\d{2}:\d{2}:\d{2}) GMT$/;
const ASCTIME = /^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) (?<time>\d{2}:\d{2}:\d{2}) (?<year>\d{4})$/;
const FIFTY_YEARS = 50;

/**
 * Milliseconds to wait from `now` (epoch ms) as a `Retry-After` header asks: a number of seconds, or an HTTP date in
 * any of the three forms of RFC 9110 §5.6.7. A date in the past is 0; seconds, however many, are 30 years at most. Null when
 * absent or unreadable.
 */
export function parseRetryAfter(value: string | null | undefined, now: number): number | null {
  const text = value?.trim() ?? '';
  if (SECONDS.test(text)) return Math.min(Number(text), MOST_SECONDS) * 1000;
  const fields = (FIXED.exec(text) ?? RFC850.exec(text) ?? ASCTIME.exec(text))?.groups;
  if (fields === undefined) return null;
  const { day = '', month = '', year = '', time = '' } = fields;
  const at = toEpochMs(fullYear(year, now), MONTHS.indexOf(month), Number(day), time.split(':').map(Number));
  return at === null ? null : Math.max(0, at - now);
}

/** A two-digit year more than 50 years ahead is in the past (RFC 9110 §5.6.7). */
function fullYear(digits: string, now: number): number {
  if (digits.length === 4) return Number(digits);
  const thisYear = new Date(now).getUTCFullYear();
  const year = thisYear - (thisYear % 100) + Number(digits);
  return year > thisYear + FIFTY_YEARS ? year - 100 : year;
}

function toEpochMs(year: number, month: number, day: number, time: readonly number[]): number | null {
  const [hour = 0, minute = 0, second = 0] = time;
  if (year < 1970 || month < 0 || hour > 23 || minute > 59 || second > 60) return null;
  const midnight = new Date(Date.UTC(year, month, day));
  if (midnight.getUTCMonth() !== month || midnight.getUTCDate() !== day) return null;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000;
}
