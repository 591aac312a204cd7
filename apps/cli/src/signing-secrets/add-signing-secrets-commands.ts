import type { Command } from 'commander';
import { toConfigName } from '../flags/to-config-name.ts';
import { toDuration } from '../flags/to-duration.ts';
import { toOrigin } from '../flags/to-origin.ts';
import { toActor, toReason } from '../flags/to-text.ts';
import { showSigningSecrets } from '../vault/show-signing-secrets.ts';
import { listSigningSecrets } from './list-signing-secrets.ts';
import { retireSigningSecret, rotateSigningSecret } from './rotate-signing-secret.ts';

/** `tidegate signing-secrets …`: what callbacks are signed with, by service and destination. */
export function addSigningSecretsCommands(secrets: Command): void {
  secrets
    .command('list')
    .description('what signs for each service and destination, and until when; never a secret')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate signing-secrets list')
    .action(listSigningSecrets);
  withOrder(secrets.command('show'))
    .description('show the live secrets, newest first; told in the audit trail')
    .option('--yes', 'print them although the output is not a terminal')
    .addHelpText('after', '\nExample:\n  tidegate signing-secrets show research-agent --reason "new receiver"')
    .action(showSigningSecrets);
  withOrder(secrets.command('rotate'))
    .description('sign with a new secret beside the one before it, and print it once')
    .option('--overlap <duration>', 'end the one before it after this (default: when it is retired)', toDuration)
    .option('--yes', 'print it although the output is not a terminal')
    .addHelpText(
      'after',
      '\nExample:\n  tidegate signing-secrets rotate research-agent --overlap 48h --reason "yearly change"\n  tidegate signing-secrets rotate research-agent --destination https://receiver.example.org --reason "a secret of its own"',
    )
    .action(rotateSigningSecret);
  withOrder(secrets.command('retire'))
    .description('sign with the newest secret alone from now on')
    .addHelpText(
      'after',
      '\nExample:\n  tidegate signing-secrets retire research-agent --reason "receivers have the new one"',
    )
    .action(retireSigningSecret);
}

function withOrder(command: Command): Command {
  return command
    .argument('<service>', 'whose callbacks', toConfigName)
    .option('--destination <origin>', 'one destination (default: all that have none of their own)', toOrigin)
    .requiredOption('--reason <text>', 'why', toReason)
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON');
}
