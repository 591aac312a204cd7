import { escapeUnprintable } from './escape-unprintable.ts';
import { hasColour, PAINT } from './paint.ts';

const LINE_BREAKS = /([\n\t])/;
const LINE_BREAKS_AND_PAINT = new RegExp(`([\\n\\t]|${PAINT})`);
/** The screen alone: what was scrolled out of it is its owner's. */
const CLEAR = '\u001b[H\u001b[2J';

/**
 * What a command answers, to stdout; log lines go to stderr. Whatever is in it and may come from elsewhere, a terminal is told
 * nothing but text.
 */
export function say(text: string): void {
  console.log(fit(text));
}

/** The same on a screen that is cleared first. */
export function sayAnew(text: string): void {
  console.log(CLEAR + fit(text));
}

function fit(text: string): string {
  const parts = text.split(hasColour() ? LINE_BREAKS_AND_PAINT : LINE_BREAKS);
  // Every other part is what was split at.
  return parts.map((part, index) => (index % 2 === 0 ? escapeUnprintable(part) : part)).join('');
}
