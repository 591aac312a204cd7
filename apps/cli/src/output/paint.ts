import { isatty } from 'node:tty';
import { wantsNoColor } from '@tidegate/runtime';

/** What a word means to whoever looks, which never depends on its colour alone. */
export type Tone = 'good' | 'waiting' | 'bad' | 'quiet';

const STDOUT = 1;
const CODES: Readonly<Record<Tone, number>> = { good: 32, waiting: 33, bad: 31, quiet: 2 };

/** A pattern of what `paint` puts around a text, and of nothing else. */
export const PAINT = [0, ...Object.values(CODES)].map((code) => `\u001b\\[${code}m`).join('|');

/** Whether the output is shown in colour: to a terminal only, and not where `NO_COLOR` asks for none. */
export function hasColour(): boolean {
  return isatty(STDOUT) && !wantsNoColor();
}

/** The text in the colour of its tone, or as it is. */
export function paint(text: string, tone: Tone, colour: boolean): string {
  return colour && text !== '' ? `\u001b[${CODES[tone]}m${text}\u001b[0m` : text;
}
