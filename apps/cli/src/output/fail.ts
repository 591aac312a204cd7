import { endWith } from '@tidegate/runtime';

/** Ends a command that could not do its work: one sentence on stderr, and an exit code that scripts can use. */
export function fail(sentence: string, exitCode: number): void {
  console.error(sentence);
  endWith(exitCode);
}
