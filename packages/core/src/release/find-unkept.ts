import { holdsInexactNumber } from './inexact-number.ts';
import type { CallbackError } from './validate-callback.ts';
import { writtenMember } from './written-member.ts';

/** Fields of a callback, as parsed, that have names of the sender's. */
interface Named {
  readonly headers?: unknown;
  readonly status?: { readonly headers?: unknown } | undefined;
}

/**
 * What a callback says and JavaScript does not keep: a number that no double holds, and a header that would become the prototype
 * of the others. It is refused instead of being changed in silence. Source of the rule: I8.
 * @param json the whole callback as it was written, valid JSON of an object
 * @param parsed the same, parsed
 */
export function findUnkept(json: string, parsed: Named): CallbackError[] {
  const errors: CallbackError[] = [];
  for (const field of ['body', 'status'] as const) {
    const written = writtenMember(json, field);
    if (written !== null && holdsInexactNumber(written)) errors.push({ field, problem: 'inexact_number' });
  }
  if (namesPrototype(parsed.headers)) errors.push({ field: 'headers', problem: 'forbidden_name' });
  if (namesPrototype(parsed.status?.headers)) errors.push({ field: 'status.headers', problem: 'forbidden_name' });
  return errors;
}

function namesPrototype(headers: unknown): boolean {
  return typeof headers === 'object' && headers !== null && Object.hasOwn(headers, '__proto__');
}
