import { escapeUnprintable } from './escape-unprintable.ts';
import { paint, type Tone } from './paint.ts';

/** Text of one place in a table; the tone is only shown where there is colour. */
interface Cell {
  readonly text: string;
  readonly tone: Tone;
}

export interface TableRow {
  /** Names the row while a list is watched. */
  readonly key: string;
  readonly cells: readonly (Cell | string)[];
  /** Lines that belong to the row and to no column. */
  readonly below?: readonly string[];
}

const GAP = '  ';
const GRAPHEMES = new Intl.Segmenter();
const NARROW = /^\p{M}+$/u;
const WIDE =
  /^[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;
/** What the last column should have at least: it wraps, and less than this of it cannot be read. */
const LAST_COLUMN = 20;

/**
 * A table as lines: a head, and columns as wide as their widest text. No head, and no line, without rows. Where the screen is
 * too narrow for the columns, each row is a block of lines instead.
 * @param screen columns of the terminal; absent where nobody sees it
 */
export function formatTable(
  head: readonly string[],
  rows: readonly TableRow[],
  colour: boolean,
  screen?: number,
): string[] {
  if (rows.length === 0) return [];
  const all = [head, ...rows.map(({ cells }) => cells)];
  const widths = head.map((_, column) => Math.max(...all.map((cells) => widthOf(textOf(cells[column] ?? '')))));
  const before = widths.slice(0, -1).reduce((sum, width) => sum + width + GAP.length, 0);
  if (screen !== undefined && before + Math.min(LAST_COLUMN, widths.at(-1) ?? 0) > screen)
    return formatBlocks(head, rows, colour);
  const format = (cells: readonly (Cell | string)[]) =>
    cells
      .map((cell, column) => {
        // Nothing is put behind the last column: a line would wrap for spaces that nobody sees.
        const padding = column === cells.length - 1 ? 0 : (widths[column] ?? 0) - widthOf(textOf(cell));
        return `${show(cell, colour)}${' '.repeat(padding)}`;
      })
      .join(GAP)
      .trimEnd();
  return [
    format(head.map((text) => ({ text, tone: 'quiet' }) as const)),
    ...rows.flatMap(({ cells, below = [] }) => [format(cells), ...below.map((line) => `${GAP}${line}`)]),
  ];
}

function formatBlocks(head: readonly string[], rows: readonly TableRow[], colour: boolean): string[] {
  const widest = Math.max(...head.map(widthOf));
  return rows.flatMap(({ cells, below = [] }, index) => [
    ...(index === 0 ? [] : ['']),
    ...cells.map((cell, column) => {
      const name = { text: (head[column] ?? '').padEnd(widest), tone: 'quiet' } as const;
      return `${show(name, colour)}${GAP}${show(cell, colour)}`.trimEnd();
    }),
    ...below.map((line) => `${GAP}${line}`),
  ]);
}

function show(cell: Cell | string, colour: boolean): string {
  return typeof cell === 'string' ? textOf(cell) : paint(textOf(cell), cell.tone, colour);
}

/** Columns of a terminal: East Asian wide characters and emoji take two, combining marks none. */
function widthOf(text: string): number {
  return [...GRAPHEMES.segment(text)].reduce(
    (sum, { segment }) => sum + (NARROW.test(segment) ? 0 : WIDE.test(segment) ? 2 : 1),
    0,
  );
}

/** What is on the screen: nothing in a cell is obeyed by a terminal, or counted as no column. */
function textOf(cell: Cell | string): string {
  return escapeUnprintable(typeof cell === 'string' ? cell : cell.text);
}
