import type { Command } from 'commander';
import { toConfigName } from '../flags/to-config-name.ts';
import { toCount } from '../flags/to-count.ts';
import { toDuration } from '../flags/to-duration.ts';
import { listNotify } from './list-notify.ts';
import { testChannel } from './test-channel.ts';

const EXIT_CODES =
  '\nExit codes:\n  0  the channel took it\n  1  it did not, or no worker took the test up in time\n  2  there is no such channel, or the config cannot be read';

/** `tidegate notify …`: whom incidents are told to, and whether that works. */
export function addNotifyCommands(notify: Command): void {
  notify
    .command('test')
    .argument('<channel>', 'its name in the config', toConfigName)
    .description('have the worker send a test to a channel, and wait for what becomes of it')
    .option('--wait <duration>', 'how long (default: 30s)', toDuration, 30_000)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  tidegate notify test phone\n${EXIT_CODES}`)
    .action(testChannel);
  notify
    .command('list')
    .description('channels, how each fares, and what was told last')
    .option('--channel <name>', 'of this channel only', toConfigName)
    .option('--limit <n>', 'how many notifications', toCount, 20)
    .option('--cursor <text>', 'where the page before ended')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate notify list --channel phone')
    .action(listNotify);
}
