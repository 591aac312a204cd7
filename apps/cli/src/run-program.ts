import { describeFailure, endWith } from '@tidegate/runtime';
import { type Command, CommanderError } from 'commander';
import { buildProgram } from './build-program.ts';
import { fail } from './output/fail.ts';

const USAGE = 2;

/**
 * Runs one command line. Exit codes for scripts: 0 done, 1 failed or not found, 2 the command line, the config or the
 * environment must be changed.
 * @param args without the program's name; those of this process unless given
 */
export async function runProgram(args?: readonly string[]): Promise<void> {
  try {
    const program = withoutExits(buildProgram());
    await (args === undefined ? program.parseAsync() : program.parseAsync(args, { from: 'user' }));
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version were asked for; of everything else commander has said what is wrong.
      endWith(error.exitCode === 0 ? 0 : USAGE);
      return;
    }
    const { text, exitCode } = describeFailure('tidegate', error);
    fail(text, exitCode);
  }
}

/** Commander would end the process itself, and with 1 for a slip of the pen. */
function withoutExits(command: Command): Command {
  command.exitOverride();
  for (const child of command.commands) withoutExits(child);
  return command;
}
