import type { Command } from 'commander';

/** The flags of a list that can be watched. */
export function withListFlags(command: Command): Command {
  return command
    .option('--watch', 'show it again whenever it changes, until Ctrl-C')
    .option('--json', 'print JSON; with --watch one line per change');
}
