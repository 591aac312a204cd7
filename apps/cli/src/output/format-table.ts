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

/** A table as lines: a head, and columns as wide as their widest text. No head, and no line, without rows. */
export function formatTable(head: readonly string[], rows: readonly TableRow[], colour: boolean): string[] {
  if (rows.length === 0) return [];
  const all = [head, ...rows.map(({ cells }) => cells)];
  const widths = head.map((_, column) => Math.max(...all.map((cells) => widthOf(textOf(cells[column] ?? '')))));
  const format = (cells: readonly (Cell | string)[]) =>
    cells
      .map((cell, column) => {
        const text = textOf(cell);
        // Nothing is put behind the last column: a line would wrap for spaces that nobody sees.
        const padding = column === cells.length - 1 ? '' : ' '.repeat((widths[column] ?? 0) - widthOf(text));
        return `${typeof cell === 'string' ? text : paint(text, cell.tone, colour)}${padding}`;
      })
      .join(GAP)
      .trimEnd();
  return [
    format(head.map((text) => ({ text, tone: 'quiet' }) as const)),
    ...rows.flatMap(({ cells, below = [] }) => [format(cells), ...below.map((line) => `${GAP}${line}`)]),
  ];
}

/** Columns of a terminal: East Asian wide characters and emoji take two, combining marks none. */
function widthOf(text: string): number {
  const wide =
    /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
  return [...text].reduce((sum, one) => sum + (/^\p{M}$/u.test(one) ? 0 : wide.test(one) ? 2 : 1), 0);
}

function textOf(cell: Cell | string): string {
  return typeof cell === 'string' ? cell : cell.text;
}
