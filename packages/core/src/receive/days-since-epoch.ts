/**
 * Days from 1970-01-01 in the proleptic Gregorian calendar; years are counted from March so that the leap day comes
 * last.
 */
export function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468;
}
