import type { Command } from 'commander';
import { toCount } from '../flags/to-count.ts';
import { toActor, toReason } from '../flags/to-text.ts';
import { replayQuarantined } from '../vault/replay-quarantined.ts';
import { showQuarantined } from '../vault/show-quarantined.ts';
import { listQuarantine } from './list-quarantine.ts';

/** `tidegate quarantine …`: bodies of known sources that were not understood. */
export function addQuarantineCommands(quarantine: Command): void {
  quarantine
    .command('list')
    .description('what was not understood, and why, newest first')
    .option('--limit <n>', 'how many', toCount, 50)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate quarantine list')
    .action(listQuarantine);
  withActor(quarantine.command('show <id>').description('show a body as it was sent; told in the audit trail'))
    .requiredOption('--reason <text>', 'why', toReason)
    .option('--yes', 'print it although the output is not a terminal')
    .addHelpText('after', '\nExample:\n  tidegate quarantine show qua_4x2… --reason "new field from Localtonet?"')
    .action(showQuarantined);
  withActor(quarantine.command('replay <id>').description('read a body again, and record it if it is understood now'))
    .option('--config <file>', 'config file (default: tidegate.yaml)')
    .addHelpText('after', '\nExample:\n  tidegate quarantine replay qua_4x2…')
    .action(replayQuarantined);
}

function withActor(command: Command): Command {
  return command
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON');
}
