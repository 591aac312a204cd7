import { stripVTControlCharacters } from 'node:util';

/** Below what is watched: an empty line, when it changed (which a phone wraps), and where the cursor stands. */
const BELOW = 4;

/** As much of some lines as a screen has place for, from the top: what is newest stands there, and must not scroll away. */
export function cutToScreen(
  lines: readonly string[],
  screen: { readonly columns: number; readonly rows: number } | null,
): readonly string[] {
  if (screen === null) return lines;
  const heightOf = (line: string) => Math.max(1, Math.ceil(stripVTControlCharacters(line).length / screen.columns));
  const places = Math.max(1, screen.rows - BELOW);
  const total = lines.reduce((sum, line) => sum + heightOf(line), 0);
  if (total <= places) return lines;
  let used = 1;
  const fitting = lines.findIndex((line) => {
    used += heightOf(line);
    return used > places;
  });
  return [...lines.slice(0, fitting), `… and ${lines.length - fitting} lines more, for which the screen is too small.`];
}
