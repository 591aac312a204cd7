import { parsePeriod } from '@tidegate/runtime';
import { type Command, InvalidArgumentError } from 'commander';
import { toName } from '../flags/to-text.ts';
import { createKey } from './create-key.ts';
import { listKeys } from './list-keys.ts';
import { revokeKey } from './revoke-key.ts';

/** `tidegate keys …`: works on the database directly, so that a lost admin key can be replaced. */
export function addKeysCommands(keys: Command): void {
  keys
    .command('create')
    .description('make an API key and print it once')
    .requiredOption('--name <name>', 'what it is for', toName)
    .requiredOption('--scopes <list>', 'comma-separated, such as gate:read,callbacks:write')
    .option('--services <list>', 'comma-separated services it may touch (default: all)', toServices)
    .option('--expires-in <duration>', 'such as 90d or 12h (default: never)', toLife)
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

function toServices(text: string): string[] {
  const services = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (services.length === 0) throw new InvalidArgumentError('One service or more, with commas between them.');
  return services;
}

/** In milliseconds. */
function toLife(text: string): number {
  const lifeMs = parsePeriod(text);
  if (lifeMs === null || lifeMs === 0) {
    throw new InvalidArgumentError('A number above zero and a unit, such as 12h (576h at most) or 90d.');
  }
  return lifeMs;
}
