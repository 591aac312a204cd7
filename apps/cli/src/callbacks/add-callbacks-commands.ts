import { CALLBACK_TRANSITIONS } from '@tidegate/core';
import { type Command, Option } from 'commander';
import { toConfigName } from '../flags/to-config-name.ts';
import { toCount } from '../flags/to-count.ts';
import { withListFlags } from '../flags/with-list-flags.ts';
import { giveOrder, type OrderFlags } from './give-order.ts';
import { listCallbacks, showCallback } from './list-callbacks.ts';
import { withOrderFlags } from './with-order-flags.ts';

/** `tidegate callbacks …`: what agents handed over, and what an operator may order about one. */
export function addCallbacksCommands(callbacks: Command): void {
  withListFlags(callbacks.command('list').description('callbacks, newest first'))
    .option('--service <name>', 'only those of this service', toConfigName)
    .addOption(new Option('--state <state>', 'only those').choices(Object.keys(CALLBACK_TRANSITIONS)))
    .option('--limit <n>', 'how many', toCount, 50)
    .option('--cursor <text>', 'where the page before ended')
    .addHelpText('after', '\nExample:\n  tidegate callbacks list --service research-agent --state held --watch')
    .action(listCallbacks);
  callbacks
    .command('show <id>')
    .description('one callback with every attempt; never its path, headers, body or key')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate callbacks show cb_4x2…')
    .action(showCallback);
  withOrderFlags(callbacks.command('cancel <id>').description('end a callback that waits, for good'))
    .addHelpText('after', '\nExample:\n  tidegate callbacks cancel cb_4x2… --reason "the order was withdrawn"')
    .action((id: string, flags: OrderFlags) =>
      giveOrder({ callback: id, command: 'cancel', approval: null, done: `Cancelled ${id}.` }, flags),
    );
  withOrderFlags(callbacks.command('redrive <id>').description('send one that failed again, with new retries'))
    .addHelpText('after', '\nExample:\n  tidegate callbacks redrive cb_4x2… --reason "the receiver is mended"')
    .action((id: string, flags: OrderFlags) => {
      const done = `${id} is sent again once its gate allows it; what may have been received asks for a review first.`;
      return giveOrder({ callback: id, command: 'redrive', approval: null, done }, flags);
    });
}
