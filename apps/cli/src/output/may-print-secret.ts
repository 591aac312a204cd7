import { isatty } from 'node:tty';
import { fail } from './fail.ts';

const STDOUT = 1;
const USAGE = 2;

/**
 * Whether something secret may be printed: to a terminal, or anywhere with `--yes`. If not, it has been said, with exit code 2.
 * @param what names it in the sentence, such as `the id`
 */
export function mayPrintSecret(what: string, yes: boolean | undefined): boolean {
  if (yes === true || isatty(STDOUT)) return true;
  fail(`The output is not a terminal and may be kept somewhere: say --yes if ${what} may go there.`, USAGE);
  return false;
}
