/** A source file taken apart, so that a rule never mistakes a comment or the inside of a string for code. */
export interface ScannedSource {
  /** The code with comments and regular expressions blanked and every string replaced by its index in quotes: `from "3"`. */
  code: string;
  strings: string[];
  comments: string[];
}

/** Stands in a template string where a value is put in at run time. */
export const HOLE = '\u0000';

interface Cursor {
  readonly text: string;
  at: number;
  code: string;
  readonly strings: string[];
  readonly comments: string[];
}

/** Takes TypeScript or JavaScript apart. Never throws: what it cannot read it keeps as code, where a rule can still see it. */
export function scanSource(text: string): ScannedSource {
  const cursor: Cursor = { text, at: 0, code: '', strings: [], comments: [] };
  while (cursor.at < text.length) readCode(cursor, null);
  return { code: cursor.code, strings: cursor.strings, comments: cursor.comments };
}

/** Reads code to the end of the text, or up to the brace that closes a `${…}`. */
function readCode(cursor: Cursor, closedBy: '}' | null): void {
  let depth = 0;
  while (cursor.at < cursor.text.length) {
    const char = cursor.text.charAt(cursor.at);
    if (char === '{') depth += 1;
    if (char === '}') {
      if (depth === 0 && closedBy !== null) return;
      depth -= 1;
    }
    readToken(cursor, char);
  }
}

function readToken(cursor: Cursor, char: string): void {
  const two = cursor.text.slice(cursor.at, cursor.at + 2);
  if (two === '//') readComment(cursor, '\n');
  else if (two === '/*') readComment(cursor, '*/');
  else if (char === '"' || char === "'") readString(cursor, char);
  else if (char === '`') readTemplate(cursor);
  else if (char === '/' && startsRegExp(cursor.code)) readRegExp(cursor);
  else {
    cursor.code += char;
    cursor.at += 1;
  }
}

function readComment(cursor: Cursor, end: '\n' | '*/'): void {
  const found = cursor.text.indexOf(end, cursor.at + 2);
  const stop = found === -1 ? cursor.text.length : end === '\n' ? found : found + 2;
  cursor.comments.push(cursor.text.slice(cursor.at, stop));
  cursor.code += ' ';
  cursor.at = stop;
}

/** A string ends at its quote or at the end of its line, so an apostrophe in JSX text spoils one line at most. */
function readString(cursor: Cursor, quote: string): void {
  let value = '';
  cursor.at += 1;
  while (cursor.at < cursor.text.length) {
    const char = cursor.text.charAt(cursor.at);
    if (char === quote || char === '\n') break;
    value += char === '\\' ? cursor.text.charAt(cursor.at + 1) : char;
    cursor.at += char === '\\' ? 2 : 1;
  }
  if (cursor.text.charAt(cursor.at) === quote) cursor.at += 1;
  keepString(cursor, value);
}

function readTemplate(cursor: Cursor): void {
  let value = '';
  let inner = '';
  cursor.at += 1;
  while (cursor.at < cursor.text.length && cursor.text.charAt(cursor.at) !== '`') {
    if (cursor.text.startsWith('${', cursor.at)) {
      cursor.at += 2;
      const before = cursor.code;
      cursor.code = '';
      readCode(cursor, '}');
      inner += ` (${cursor.code})`;
      cursor.code = before;
      cursor.at += 1;
      value += HOLE;
    } else {
      value += cursor.text.charAt(cursor.at);
      cursor.at += cursor.text.charAt(cursor.at) === '\\' ? 2 : 1;
    }
  }
  cursor.at += 1;
  keepString(cursor, value);
  cursor.code += inner;
}

function keepString(cursor: Cursor, value: string): void {
  cursor.code += `"${cursor.strings.length}"`;
  cursor.strings.push(value);
}

/** A slash begins a regular expression where a value may begin: after an operator, an opening bracket or a keyword. */
function startsRegExp(before: string): boolean {
  const code = before.trimEnd();
  return (
    code === '' ||
    /[=(,:[!&|?{};+*%~^-]$/.test(code) ||
    /\b(return|typeof|case|in|of|await|yield|void)$/.test(code) ||
    code.endsWith('=>')
  );
}

function readRegExp(cursor: Cursor): void {
  const match = /^\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/.exec(cursor.text.slice(cursor.at));
  if (match === null) {
    cursor.code += '/';
    cursor.at += 1;
    return;
  }
  cursor.code += ' regexp ';
  cursor.at += match[0].length;
}

const IMPORT_FORMS = [
  /\b(?:import|export)\b[\w\s{},*$]*?\bfrom\s*"(\d+)"/g,
  /\bimport\s*"(\d+)"/g,
  /\b(?:import|require|require\s*\.\s*resolve|import\s*\.\s*meta\s*\.\s*resolve)\s*\(\s*"(\d+)"/g,
];

/** Every module name a file imports, in whatever form: static, re-exported, dynamic, type-only, required or resolved. */
export function listImports(source: ScannedSource): string[] {
  const names = new Set<string>();
  for (const form of IMPORT_FORMS) {
    for (const match of source.code.matchAll(form)) names.add(source.strings[Number(match[1])] ?? '');
  }
  return [...names];
}
