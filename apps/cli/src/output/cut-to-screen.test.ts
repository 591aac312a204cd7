import { expect, it } from 'vitest';
import { cutToScreen } from './cut-to-screen.ts';

const lines = ['one', '\u001b[31mtwo\u001b[0m', 'a line that is longer than the screen', 'four'];

it('shows what fits from the top on, and says how much does not', () => {
  expect(cutToScreen(lines, null)).toEqual(lines);
  expect(cutToScreen(lines, { columns: 20, rows: 9 })).toEqual(lines);
  expect(cutToScreen(lines, { columns: 20, rows: 8 })).toEqual([
    'one',
    '\u001b[31mtwo\u001b[0m',
    '… and 2 lines more, for which the screen is too small.',
  ]);
  expect(cutToScreen(lines, { columns: 20, rows: 1 })).toEqual([
    '… and 4 lines more, for which the screen is too small.',
  ]);
});
