/** Control, bidi, zero-width, surrogate and line-separating characters: they forge lines, colours and order in a terminal. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The text with what no terminal may be told as `\u001b`: seen instead of obeyed, and in JSON the same value still. */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (found) =>
    found
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
