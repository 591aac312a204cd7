import { describeFailure } from '@tidegate/runtime';
import { buildProgram } from './build-program.ts';
import { fail } from './output/fail.ts';

try {
  await buildProgram().parseAsync();
} catch (error) {
  const { text, exitCode } = describeFailure('tidegate', error);
  fail(text, exitCode);
}
