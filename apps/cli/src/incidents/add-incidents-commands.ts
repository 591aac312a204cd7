import { Argument, type Command, Option } from 'commander';
import { toConfigName } from '../flags/to-config-name.ts';
import { toCount } from '../flags/to-count.ts';
import { toDuration } from '../flags/to-duration.ts';
import { toActor, toNote, toReason } from '../flags/to-text.ts';
import { withListFlags } from '../flags/with-list-flags.ts';
import { acknowledge, note, resolve } from './act-on-incident.ts';
import { listBlips } from './list-blips.ts';
import { listIncidents } from './list-incidents.ts';
import { showIncident } from './show-incident.ts';

/** `tidegate incidents …`: what on-call does, from a shell. */
export function addIncidentsCommands(incidents: Command): void {
  withListFlags(incidents.command('list').description('incidents, newest first'))
    .addOption(new Option('--state <state>', 'only those').choices(['open', 'acknowledged', 'resolved']))
    .addOption(
      new Option('--kind <kind>', 'only those').choices(['device', 'tunnel', 'application', 'mass', 'flapping']),
    )
    .option('--service <name>', 'only those that concern this service', toConfigName)
    .option('--limit <n>', 'how many', toCount, 50)
    .option('--cursor <text>', 'where the page before ended')
    .addHelpText('after', '\nExample:\n  tidegate incidents list --state open --watch')
    .action(listIncidents);
  incidents
    .command('show <id>')
    .description('one incident: what its last verification found, layer by layer, and its timeline')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate incidents show inc_4x2…')
    .action(showIncident);
  incidents
    .command('blips')
    .description('drops that healed before anybody was paged, newest first')
    .option('--service <name>', 'only those of what it depends on')
    .option('--since <duration>', 'how far back, such as 24h', toDuration)
    .option('--limit <n>', 'how many', toCount, 50)
    .option('--cursor <text>', 'where the page before ended')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate incidents blips --service research-agent --since 24h')
    .action(listBlips);
  withActor(incidents.command('ack <id>').description('say that you are on it'))
    .addHelpText('after', '\nExample:\n  tidegate incidents ack inc_4x2…')
    .action(acknowledge);
  withActor(incidents.command('note <id>').description('add a note to the timeline'))
    .addArgument(new Argument('<text>', 'what to note').argParser(toNote))
    .addHelpText('after', '\nExample:\n  tidegate incidents note inc_4x2… "the router was unplugged"')
    .action(note);
  withActor(incidents.command('resolve <id>').description('end an incident that verification has proved to be over'))
    .option('--override', 'end it without proof; takes --reason and --for')
    .option('--reason <text>', 'why', toReason)
    .option('--for <duration>', 'when it is looked at again, such as 24h', toDuration)
    .addHelpText(
      'after',
      '\nExample:\n  tidegate incidents resolve inc_4x2… --override --reason "machine retired" --for 72h',
    )
    .action(resolve);
}

function withActor(command: Command): Command {
  return command
    .option('--actor <name>', 'who does it (default: the user of this machine)', toActor)
    .option('--json', 'print JSON');
}
