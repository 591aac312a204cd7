import type { SafeName } from '../model/safe-name.ts';

const NAME_MAX_CODE_POINTS = 80;
/** Input units read per code point kept: generous for honest names, and a bound on the work for hostile ones. */
const MAX_READ_FACTOR = 50;
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const SPACES = /[\s\u0085]+/gu;
/** Control, format (zero-width and bidi), surrogate and other code points that draw nothing. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

const ESCAPE = '\u001b';
const BELL = '\u0007';
const STRING_TERMINATOR = '\u009c';
/** Eight-bit forms of `ESC P`, `ESC X`, `ESC ]`, `ESC ^` and `ESC _`, which start a command that carries text. */
const STRING_STARTERS = '\u0090\u0098\u009d\u009e\u009f';
const CONTROL = `(?:${ESCAPE}\\[|\u009b)[0-?]*[ -/]*[@-~]`;
const TEXT = `[^${BELL}${ESCAPE}${STRING_TERMINATOR}${STRING_STARTERS}]*`;
const TEXT_COMMAND = `(?:${ESCAPE}[\\]PX^_]|[${STRING_STARTERS}])${TEXT}(?:${BELL}|${STRING_TERMINATOR}|${ESCAPE}\\\\)`;
const SHORT = `${ESCAPE}[ -/]*[0-~]`;
const TERMINAL_SEQUENCE = new RegExp(`${CONTROL}|${TEXT_COMMAND}|${SHORT}`, 'gu');

/**
 * Makes a name from outside (a device, tunnel, person, reason) fit for a terminal, a page and a sentence: no control
 * characters, terminal sequences, bidi controls or zero-width characters; one line, trimmed, NFC, at most
 * `maxCodePoints` (80; a note may have more). Idempotent. Empty when nothing visible is left. Source: DESIGN §5.
 */
export function sanitizeName(text: string, maxCodePoints: number = NAME_MAX_CODE_POINTS): SafeName {
  if (text.length <= maxCodePoints && PLAIN.test(text) && !text.includes('  ')) return text as SafeName;
  const visible = text
    .slice(0, maxCodePoints * MAX_READ_FACTOR)
    // Whole sequences first, so that `ESC[31m` does not leave `[31m` behind.
    .replace(TERMINAL_SEQUENCE, '')
    .replaceAll('\ufeff', '')
    .replace(SPACES, ' ')
    .replace(INVISIBLE, '')
    .normalize('NFC')
    .replace(/ +/g, ' ')
    .trim();
  return [...visible].slice(0, maxCodePoints).join('').trimEnd() as SafeName;
}
