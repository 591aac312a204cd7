/** A text longer than any date is shown by its beginning. */
const MOST_CHARACTERS = 40;
/** Characters of dates that carry no value; the letters T and Z are kept, every other one becomes `A`. */
const KEPT = /[-:.+ /TZ]/;

/**
 * The shape of a date as it was sent, without its value: digits become `9`, letters `A`, anything unexpected `?`. So that an
 * owner can see what Localtonet really sends: its dates are documented with seven digits and without a zone.
 */
export function describeShape(text: string): string {
  const shape = Array.from(text.slice(0, MOST_CHARACTERS), (character) => {
    if (KEPT.test(character)) return character;
    if (character >= '0' && character <= '9') return '9';
    return /[A-Za-z]/.test(character) ? 'A' : '?';
  }).join('');
  return text.length > MOST_CHARACTERS ? `${shape}…` : shape;
}
