import { setTimeout as delay } from 'node:timers/promises';
import { isatty } from 'node:tty';
import { AppError } from '@tidegate/core';
import { isPlainTerminal, screenSize, untilInterrupted } from '@tidegate/runtime';
import { cutToScreen } from './cut-to-screen.ts';
import { warn } from './fail.ts';
import { formatTable, type TableRow } from './format-table.ts';
import { hasColour } from './paint.ts';
import { say, sayAnew } from './say.ts';

/** A list as one look found it. */
export interface List {
  readonly head: readonly string[];
  readonly rows: readonly TableRow[];
  /** Sentences before the table. */
  readonly before?: readonly string[];
  /** Sentences after it; what is said when there are no rows is one. */
  readonly after?: readonly string[];
  /** What `--json` prints. */
  readonly json: unknown;
}

export interface ListFlags {
  readonly json?: boolean;
  readonly watch?: boolean;
}

const LOOK_EVERY_MS = 1000;
const STDOUT = 1;

/**
 * Shows a list once, or with `--watch` again whenever it has changed, until SIGINT. A terminal is drawn anew; elsewhere only the
 * rows that are new, changed or gone are printed; with `--json` each state is one line. A store that is away while one watches
 * is said once, and asked again.
 */
export async function showList(flags: ListFlags, look: () => Promise<List>): Promise<void> {
  const colour = hasColour();
  if (!flags.watch) {
    const list = await look();
    if (flags.json) say(JSON.stringify(list.json));
    else for (const line of drawList(list, colour)) say(line);
    return;
  }
  const draw = flags.json ? drawJson() : isatty(STDOUT) && !isPlainTerminal() ? drawScreen(colour) : drawChanges();
  await watch(look, draw);
}

type Draw = (list: List) => void;

async function watch(look: () => Promise<List>, draw: Draw): Promise<void> {
  const { signal, stop } = untilInterrupted();
  // A database that hangs must not keep whoever has had enough of it.
  const interrupted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true });
  });
  let failed: string | null = null;
  try {
    while (!signal.aborted) {
      try {
        const list = await Promise.race([look(), interrupted]);
        if (failed !== null && list !== null) warn('It answers again.');
        if (list !== null) draw(list);
        failed = null;
      } catch (error) {
        if (!(error instanceof AppError) || !error.retryable) throw error;
        if (failed !== error.code) warn(`${error.publicMessage} Trying again.`);
        failed = error.code;
      }
      await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    stop();
  }
}

function drawList({ head, rows, before = [], after = [] }: List, colour: boolean): string[] {
  return [...before, ...formatTable(head, rows, colour, screenSize()?.columns), ...after];
}

/** One line per state, so that a program can read it as it comes. */
function drawJson(): Draw {
  let shown: string | null = null;
  return (list) => {
    const text = JSON.stringify(list.json);
    if (text !== shown) say(text);
    shown = text;
  };
}

function drawScreen(colour: boolean): Draw {
  let shown: string | null = null;
  return (list) => {
    const text = cutToScreen(drawList(list, colour), screenSize()).join('\n');
    if (text === shown) return;
    shown = text;
    sayAnew(`${text}\n\nChanged ${new Date().toISOString()}; Ctrl-C ends.`);
  };
}

/** Where a screen cannot be cleared: everything once, then what is new, changed or gone. */
function drawChanges(): Draw {
  let shown: ReadonlyMap<string, string> | null = null;
  let beside = '';
  return (list) => {
    const rows = new Map(list.rows.map((row) => [row.key, [...drawRow(row)].join('\n')]));
    const sentences = [...(list.before ?? []), ...(list.after ?? [])].join('\n');
    if (shown === null) for (const line of drawList(list, false)) say(line);
    else {
      const at = new Date().toISOString();
      for (const [key, text] of rows) if (shown.get(key) !== text) say(`${at}  ${text}`);
      for (const key of shown.keys()) if (!rows.has(key)) say(`${at}  ${key}  is gone from the list`);
      if (sentences !== '' && sentences !== beside) say(sentences);
    }
    shown = rows;
    beside = sentences;
  };
}

function drawRow({ cells, below = [] }: TableRow): string[] {
  return [
    cells.map((cell) => (typeof cell === 'string' ? cell : cell.text)).join('  '),
    ...below.map((line) => `  ${line}`),
  ];
}
