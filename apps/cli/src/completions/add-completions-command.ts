import { Argument, type Command } from 'commander';
import { say } from '../output/say.ts';
import { describeCommands } from './describe-commands.ts';
import { writeBash } from './write-bash.ts';
import { writeFish } from './write-fish.ts';
import { writeZsh } from './write-zsh.ts';

const WRITERS = { bash: writeBash, zsh: writeZsh, fish: writeFish } as const;

/** `tidegate completions SHELL`: made from the commands as they are. */
export function addCompletionsCommand(program: Command): void {
  program
    .command('completions')
    .description('print what a shell needs to complete these commands')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(WRITERS)))
    .addHelpText(
      'after',
      '\nExample:\n  source <(tidegate completions bash)\n  tidegate completions zsh > ~/.zfunc/_tidegate\n  tidegate completions fish | source',
    )
    .action((shell: keyof typeof WRITERS) => say(WRITERS[shell](describeCommands(program))));
}
