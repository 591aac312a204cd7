import { type Command, InvalidArgumentError, Option } from 'commander';
import { toConfigName } from '../flags/to-config-name.ts';
import { toActor } from '../flags/to-text.ts';
import { addSource, removeSource, rotateSource } from './keep-source.ts';
import { listSources } from './list-sources.ts';

/** `tidegate sources …`: registered Localtonet webhooks, beside those the config defines. */
export function addSourcesCommands(sources: Command): void {
  sources
    .command('list')
    .description('every source: last delivery, counts, and what the first delivery looked like')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate sources list')
    .action(listSources);
  withActor(
    sources
      .command('add')
      .argument('<name>', 'what to call it', toConfigName)
      .description('register a webhook and print its URL once'),
  )
    .option('--group <name>', 'sources of one group are one origin (default: its name)', toConfigName)
    .option('--time-zone <zone>', 'of dates that name none', toTimeZone, 'UTC')
    .addOption(
      new Option('--watch <which>', 'which subjects may open incidents').choices(['linked', 'all']).default('linked'),
    )
    .addHelpText('after', '\nExample:\n  tidegate sources add office --group home-lab --time-zone Europe/Istanbul')
    .action(addSource);
  withActor(
    sources
      .command('rotate')
      .argument('<name>', 'the source', toConfigName)
      .description('give a source a second live secret, and print its URL once'),
  )
    .option('--finish', 'end the first secret')
    .addOption(new Option('--cancel', 'end the second secret, whose URL was lost').conflicts('finish'))
    .addHelpText('after', '\nExample:\n  tidegate sources rotate office\n  tidegate sources rotate office --finish')
    .action(rotateSource);
  withActor(
    sources
      .command('remove')
      .argument('<name>', 'the source', toConfigName)
      .description('end a source that was added by hand'),
  )
    .addHelpText('after', '\nExample:\n  tidegate sources remove office')
    .action(removeSource);
}

function withActor(command: Command): Command {
  return command
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON');
}

function toTimeZone(text: string): string {
  try {
    new Intl.DateTimeFormat('en', { timeZone: text });
    if (/^[A-Za-z]/.test(text)) return text;
  } catch {
    // falls through to the one answer
  }
  throw new InvalidArgumentError('An IANA time zone, such as UTC or Europe/Istanbul.');
}
