import { InvalidArgumentError } from 'commander';

const MOST = 500;

/** How many rows a list may have: 1 to 500. */
export function toCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (count < 1 || count > MOST) throw new InvalidArgumentError(`A whole number from 1 to ${MOST}.`);
  return count;
}
