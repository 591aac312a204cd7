import type { Command } from 'commander';
import { createKey } from './create-key.ts';
import { listKeys } from './list-keys.ts';
import { revokeKey } from './revoke-key.ts';

/** `tidegate keys …`: works on the database directly, so that a lost admin key can be replaced. */
export function addKeysCommands(keys: Command): void {
  keys
    .command('create')
    .description('make an API key and print it once')
    .requiredOption('--name <name>', 'what it is for')
    .requiredOption('--scopes <list>', 'comma-separated, such as gate:read,callbacks:write')
    .option('--services <list>', 'comma-separated services it may touch (default: all)')
    .option('--expires-in <duration>', 'such as 720h (default: never)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate keys create --name research-agent --scopes gate:read,callbacks:write')
    .action(createKey);
  keys
    .command('list')
    .description('list API keys, never their values')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate keys list --json')
    .action(listKeys);
  keys
    .command('revoke <id>')
    .description('end an API key at once')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate keys revoke key_4x2…')
    .action(revokeKey);
}
