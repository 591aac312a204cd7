const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;

/** One number and one unit: `250ms`, `20s`, `2m`, `24h`; a fraction is allowed when it comes to whole milliseconds. */
const DURATION = /^(\d{1,10}(?:\.\d{1,3})?)(ms|s|m|h)$/;

/** The longest wait a Node timer can hold. */
const LONGEST_MS = 2 ** 31 - 1;

/** Duration text in milliseconds, or null when it is not one, is not whole, or exceeds 24 days. */
export function parseDuration(text: string): number | null {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (amount === undefined || unit === undefined) {
    return null;
  }
  const [whole = '0', fraction = ''] = amount.split('.');
  const thousandths = BigInt(whole + fraction.padEnd(3, '0')) * BigInt(UNIT_MS[unit as keyof typeof UNIT_MS]);
  const durationMs = Number(thousandths / 1000n);
  return thousandths % 1000n === 0n && durationMs <= LONGEST_MS ? durationMs : null;
}

const DAY_MS = 86_400_000;

/** How long something is kept, in milliseconds: whole days as `90d` (9999 at most), or a duration. Null when it is neither. */
export function parsePeriod(text: string): number | null {
  const [, days] = /^(\d{1,4})d$/.exec(text) ?? [];
  return days === undefined ? parseDuration(text) : Number(days) * DAY_MS;
}

/** The same in text, with the largest unit that divides it: what `tidegate check` prints. */
export function formatDuration(durationMs: number): string {
  const units = ['h', 'm', 's'] as const;
  const unit = durationMs === 0 ? 's' : (units.find((candidate) => durationMs % UNIT_MS[candidate] === 0) ?? 'ms');
  return `${durationMs / UNIT_MS[unit]}${unit}`;
}
