import type { Command } from 'commander';
import { toDuration } from '../flags/to-duration.ts';
import { toActor, toReason } from '../flags/to-text.ts';
import { withListFlags } from '../flags/with-list-flags.ts';
import { listGates } from './list-gates.ts';
import { forceOpen, holdByHand, releaseByHand } from './order-gate.ts';

/** `tidegate gate …`: a person's word about a gate; each has a reason, an end and a row in the audit trail. */
export function addGateCommands(gate: Command): void {
  withListFlags(gate.command('list').description('every gate, and whose hand is on it'))
    .addHelpText('after', '\nExample:\n  tidegate gate list --watch')
    .action(listGates);
  withOrderFlags(gate.command('hold <service>').description('hold a gate, whatever verification finds'))
    .requiredOption('--reason <text>', 'why', toReason)
    .requiredOption('--for <duration>', 'when it ends by itself, such as 2h', toDuration)
    .addHelpText('after', '\nExample:\n  tidegate gate hold research-agent --reason "moving the machine" --for 2h')
    .action(holdByHand);
  withOrderFlags(
    gate
      .command('force-open <service>')
      .description('open a gate, whatever verification finds; it is shown to everybody'),
  )
    .requiredOption('--reason <text>', 'why', toReason)
    .requiredOption('--for <duration>', 'when it ends by itself, such as 15m', toDuration)
    .addHelpText(
      'after',
      '\nExample:\n  tidegate gate force-open research-agent --reason "probe is wrong, see #42" --for 15m',
    )
    .action(forceOpen);
  withOrderFlags(gate.command('release <service>').description('take a hold or a forced opening back'))
    .option('--reason <text>', 'why', toReason)
    .addHelpText('after', '\nExample:\n  tidegate gate release research-agent')
    .action(releaseByHand);
}

function withOrderFlags(command: Command): Command {
  return command
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON');
}
