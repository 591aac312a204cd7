import { type Command, InvalidArgumentError } from 'commander';
import { toActor, toReason } from '../flags/to-text.ts';
import { listReceivers } from './list-receivers.ts';
import { retireReceiver } from './retire-receiver.ts';

/** `tidegate receivers …`: who takes webhooks in, and whom to stop waiting for. */
export function addReceiversCommands(receivers: Command): void {
  receivers
    .command('list')
    .description('every receiver: when it was last heard, and whether it holds the gates')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate receivers list')
    .action(listReceivers);
  receivers
    .command('retire')
    .argument('<id>', 'the receiver, as `receivers list` shows it', toReceiverId)
    .description('stop waiting for a receiver that will not come back; every gate is then verified anew')
    .requiredOption('--reason <text>', 'why', toReason)
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  tidegate receivers retire rcv_4cfq0zt1v8m2 --reason "its machine was taken down"',
    )
    .action(retireReceiver);
}

function toReceiverId(text: string): string {
  if (/^[\w.-]{1,100}$/.test(text)) return text;
  throw new InvalidArgumentError('An id as `tidegate receivers list` shows it.');
}
