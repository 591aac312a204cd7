import type { Command } from 'commander';
import { toActor, toReason } from '../flags/to-text.ts';

/** The flags of every order about a callback. */
export function withOrderFlags(command: Command): Command {
  return command
    .requiredOption('--reason <text>', 'why', toReason)
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON');
}
