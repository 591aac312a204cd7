import type { Command } from 'commander';
import { toConfigName } from '../flags/to-config-name.ts';
import { toCount } from '../flags/to-count.ts';
import { toDuration } from '../flags/to-duration.ts';
import { toActor, toReason } from '../flags/to-text.ts';
import { addSilence, endOneSilence, listAllSilences } from './keep-silence.ts';

/** `tidegate silence …`: mutes pages, and nothing else. */
export function addSilenceCommands(silence: Command): void {
  silence
    .command('add')
    .description('mute pages for a while; gates and incidents go on as ever')
    .option('--service <name>', 'pages about this service', toConfigName)
    .option('--group <alias>', 'pages about this device or tunnel (dev_… or tun_…)')
    .option('--all', 'all pages')
    .requiredOption('--reason <text>', 'why', toReason)
    .requiredOption('--for <duration>', 'how long, such as 2h', toDuration)
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExample:\n  tidegate silence add --service research-agent --reason "planned move" --for 2h',
    )
    .action(addSilence);
  silence
    .command('list')
    .description('silences that mute now, newest first')
    .option('--ended', 'those that are over too')
    .option('--limit <n>', 'how many', toCount, 50)
    .option('--cursor <text>', 'where the page before ended')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate silence list')
    .action(listAllSilences);
  silence
    .command('end <id>')
    .description('end a silence before its time')
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate silence end sil_4x2…')
    .action(endOneSilence);
}
