import { endOfString } from './written-member.ts';

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WHOLE = /^-?\d+$/;
/** As many significant digits as a double can need, and no more than it can hold (RFC 7493 §2.2). */
const MOST_DIGITS = 17;

/**
 * Whether valid JSON has a number that a double (IEEE 754 binary64) does not hold: canonical JSON would take it for another, and
 * so two payloads for one (I8). Held is what comes back when the double is written again, at the precision it was written in or
 * as JavaScript writes it: where two such numbers are equally near, the shortest is not always the one that is rounded to.
 */
export function holdsInexactNumber(json: string): boolean {
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at] ?? '';
    if (char === '"') {
      at = endOfString(json, at);
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      NUMBER.lastIndex = at;
      const written = NUMBER.exec(json)?.[0] ?? char;
      if (!isExact(written)) return true;
      at += written.length - 1;
    }
  }
  return false;
}

function isExact(written: string): boolean {
  const { digits, magnitude } = toDecimal(written);
  const value = Number(written);
  if (digits === '') return true;
  if (value === 0 || !Number.isFinite(value) || digits.length > MOST_DIGITS) return false;
  // Of whole numbers only the one that a double is written as by itself: two that share a double are two payloads.
  const ways = WHOLE.test(written) ? [String(value)] : [String(value), value.toPrecision(digits.length)];
  return ways.map(toDecimal).some((held) => held.digits === digits && held.magnitude === magnitude);
}

/** Significant digits, without zeros around them, and the power of ten that the point before the first one stands for. */
function toDecimal(written: string): { digits: string; magnitude: number } {
  const [mantissa = '', exponent = '0'] = written.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const all = whole + fraction;
  let first = 0;
  while (all[first] === '0') first += 1;
  let end = all.length;
  while (end > first && all[end - 1] === '0') end -= 1;
  return { digits: all.slice(first, end), magnitude: whole.length - first + Number(exponent) };
}
