import { endWith } from '@tidegate/runtime';
import { type Command, CommanderError } from 'commander';
import { buildProgram } from './build-program.ts';
import { fail, failFor, failInJson } from './output/fail.ts';

const USAGE = 2;

/**
 * Runs one command line. Exit codes for scripts: 0 done, 1 failed or not found, 2 the command line, the config or the
 * environment must be changed.
 * @param args without the program's name
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  failInJson(args.includes('--json'));
  try {
    await withoutExits(buildProgram()).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) failFor('tidegate', error);
    // Help and version were asked for, or help was shown where a command is missing.
    else if (error.exitCode === 0 || error.code === 'commander.help') endWith(error.exitCode === 0 ? 0 : USAGE);
    else fail(error.message.replace(/^error: /, ''), USAGE);
  }
}

/** Commander would end the process itself, and with 1 for a slip of the pen; what it has to say is told in one place. */
function withoutExits(command: Command): Command {
  command.exitOverride().configureOutput({ outputError: () => undefined });
  for (const child of command.commands) withoutExits(child);
  return command;
}
