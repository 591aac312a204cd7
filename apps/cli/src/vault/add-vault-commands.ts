import { type Command, Option } from 'commander';
import { toCount } from '../flags/to-count.ts';
import { toActor, toReason } from '../flags/to-text.ts';
import { initVault } from './init-vault.ts';
import { revealSubject } from './reveal-subject.ts';
import { rewrapVault } from './rewrap-vault.ts';
import { rotateVault } from './rotate-vault.ts';
import { showVault } from './show-vault.ts';

/** `tidegate vault …`: the only commands that open what was sealed. */
export function addVaultCommands(vault: Command): void {
  vault
    .command('init')
    .description('make the keyring of the data folder, or check the one that is there')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  TIDEGATE_DATA_DIR=/var/lib/tidegate tidegate vault init')
    .action(initVault);
  vault
    .command('status')
    .description('which keys there are, and what still needs an old one')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate vault status')
    .action(showVault);
  withActor(vault.command('rotate').description('make new keys for all new work, while everything runs'))
    .requiredOption('--reason <text>', 'why', toReason)
    .addOption(new Option('--only <key>', 'rotate one of the two').choices(['fingerprint', 'sealing']))
    .addHelpText('after', '\nExample:\n  tidegate vault rotate --reason "yearly"')
    .action(rotateVault);
  withActor(
    vault.command('rewrap').description('bring everything stored to the current keys; may be stopped and run again'),
  )
    .option('--batch <n>', 'how many rows at a time', toCount, 200)
    .option('--skip-damaged', 'leave what cannot be opened as it is, and renew the rest')
    .option('--retire', 'then take the old keys out of use')
    .addHelpText('after', '\nExample:\n  tidegate vault rewrap\n  tidegate vault rewrap --retire')
    .action(rewrapVault);
  withActor(
    vault.command('reveal <alias>').description('show the real id of a device or tunnel; told in the audit trail'),
  )
    .requiredOption('--reason <text>', 'why', toReason)
    .option('--yes', 'print it although the output is not a terminal')
    .addHelpText('after', '\nExample:\n  tidegate vault reveal dev_4x2… --reason "which machine is this?"')
    .action(revealSubject);
}

function withActor(command: Command): Command {
  return command
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON');
}
