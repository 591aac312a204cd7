import type { Command } from 'commander';
import { toInstant } from '../flags/to-instant.ts';
import { runReplay } from './run-replay.ts';

const ASSUMED = `
Nothing is changed, sent or paged. What is assumed, because it is not stored as a function of policy:
  - A group that reconnects is over once its verification passes, verify.passes times, verify.every apart.
  - Nothing was open when the time began; devices, tunnels and services are linked as they are now.
  - Polls, repeats of a report, holds, silences and a person's word play no part.

Example:
  tidegate replay --policy calmer.yaml --since 72h`;

/** `tidegate replay`: what other thresholds would have made of what was received. */
export function addReplayCommand(replay: Command): void {
  replay
    .description('which incidents and pages other thresholds would have made of what was received')
    .requiredOption('--policy <file>', 'a YAML with policies: and optionally mass:, as the config has them')
    .requiredOption('--since <time>', 'from when on: a date, a time with zone, or how long ago', toInstant)
    .option('--until <time>', 'until when (default: now)', toInstant)
    .option('--config <file>', 'the config with the policies in effect (default: tidegate.yaml)')
    .option('--json', 'print JSON')
    .addHelpText('after', ASSUMED)
    .action(runReplay);
}
