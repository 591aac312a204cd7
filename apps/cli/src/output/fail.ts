import { type ConfigIssue, describeFailure, endWith } from '@tidegate/runtime';
import { escapeUnprintable } from './escape-unprintable.ts';

let inJson = false;

/** Whether whoever called asked for JSON: then what went wrong is told in JSON as well. */
export function failInJson(wanted: boolean): void {
  inJson = wanted;
}

/** Says on stderr that something is wrong, in a sentence, and goes on. */
export function warn(sentence: string): void {
  complain({ title: sentence });
}

/**
 * Ends a command that could not do its work: one sentence on stderr, or with `--json` one line `{"title", "exitCode"}`, and an
 * exit code that scripts can use.
 */
export function fail(sentence: string, exitCode: number): void {
  complain({ title: sentence, exitCode });
  endWith(exitCode);
}

/** The same for what was thrown; what is wrong in a config is listed in JSON as `errors`. */
export function failFor(app: string, error: unknown): void {
  const { text, exitCode, issues } = describeFailure(app, error);
  complain({ title: text, exitCode, ...(issues.length > 0 && { errors: issues }) });
  endWith(exitCode);
}

interface Complaint {
  readonly title: string;
  readonly exitCode?: number;
  readonly errors?: readonly ConfigIssue[];
}

function complain(complaint: Complaint): void {
  const text = inJson ? escapeUnprintable(JSON.stringify(complaint)) : complaint.title;
  console.error(text.split('\n').map(escapeUnprintable).join('\n'));
}
