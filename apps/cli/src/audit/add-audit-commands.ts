import { type Command, InvalidArgumentError } from 'commander';
import { toCount } from '../flags/to-count.ts';
import { listAudit, listOpenings, showHead } from './list-audit.ts';
import { toHead } from './to-head.ts';
import { verifyAudit } from './verify-audit.ts';

/** `tidegate audit …`: reads the trail and proves it; nothing here writes it. */
export function addAuditCommands(audit: Command): void {
  audit
    .command('list')
    .description('what people did and keys were used for, newest first')
    .option('--limit <n>', 'how many rows', toCount, 50)
    .option('--before <seq>', 'only rows before this one', toSeq)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate audit list --limit 20')
    .action(listAudit);
  audit
    .command('verify')
    .description('prove that no row was changed, removed or moved')
    .option('--head <seq:mac>', 'a head from the log: proves that no row was cut off since', toHead)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate audit verify --head 41:mac_5f0c…')
    .action(verifyAudit);
  audit
    .command('head')
    .description('the newest row as SEQ:MAC, to be kept elsewhere')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate audit head >> /mnt/elsewhere/audit-heads')
    .action(showHead);
  audit
    .command('openings')
    .description('how often machines opened sealed values, by hour and purpose')
    .option('--limit <n>', 'how many rows', toCount, 50)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate audit openings')
    .action(listOpenings);
}

function toSeq(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('The number of a row.');
  return Number(text);
}
