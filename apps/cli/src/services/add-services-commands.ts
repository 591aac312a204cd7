import type { Command } from 'commander';
import { toConfigName } from '../flags/to-config-name.ts';
import { toCount } from '../flags/to-count.ts';
import { withListFlags } from '../flags/with-list-flags.ts';
import { listServices } from './list-services.ts';

/** `tidegate services …`: what is watched, and how each of them is. */
export function addServicesCommands(services: Command): void {
  withListFlags(services.command('list').description('services with their gate and what verification found last'))
    .option('--source <name>', 'only those of this source', toConfigName)
    .option('--limit <n>', 'how many', toCount, 50)
    .option('--cursor <text>', 'where the page before ended')
    .addHelpText('after', '\nExample:\n  tidegate services list --watch')
    .action(listServices);
}
