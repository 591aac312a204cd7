/**
 * A text of at most `longest` UTF-16 units, cut between words: what is left of a long word could be most of a secret that nobody
 * recognises any more. `sizeOf` measures otherwise, for receivers that count bytes.
 */
export function cutText(
  text: string,
  longest: number,
  sizeOf: (text: string) => number = (part) => part.length,
): string {
  if (sizeOf(text) <= longest) return text;
  let end = text.length;
  while (end > 0) {
    end = lastSpace(text, end);
    const cut = `${text.slice(0, end).trimEnd()}…`;
    if (sizeOf(cut) <= longest) return cut;
  }
  return sizeOf('…') <= longest ? '…' : '';
}

/** Where the last run of spaces before `end` begins; 0 when there is none. */
function lastSpace(text: string, end: number): number {
  let at = end - 1;
  while (at > 0 && !/\s/u.test(text[at] ?? '')) at -= 1;
  return Math.max(at, 0);
}
