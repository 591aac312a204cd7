import { Command, InvalidArgumentError } from 'commander';
import { addAuditCommands } from './audit/add-audit-commands.ts';
import { addCallbacksCommands } from './callbacks/add-callbacks-commands.ts';
import { addCompletionsCommand } from './completions/add-completions-command.ts';
import { addGateCommands } from './gate/add-gate-commands.ts';
import { addIncidentsCommands } from './incidents/add-incidents-commands.ts';
import { addKeysCommands } from './keys/add-keys-commands.ts';
import { addNotifyCommands } from './notify/add-notify-commands.ts';
import { addQuarantineCommands } from './quarantine/add-quarantine-commands.ts';
import { addReceiversCommands } from './receivers/add-receivers-commands.ts';
import { addReplayCommand } from './replay/add-replay-command.ts';
import { addReviewCommands } from './review/add-review-commands.ts';
import { addServicesCommands } from './services/add-services-commands.ts';
import { addSigningSecretsCommands } from './signing-secrets/add-signing-secrets-commands.ts';
import { addSilenceCommands } from './silence/add-silence-commands.ts';
import { addSourcesCommands } from './sources/add-sources-commands.ts';
import type { UpFlags } from './up/up-settings.ts';
import { addVaultCommands } from './vault/add-vault-commands.ts';

interface ConfigFlags {
  readonly config?: string;
  readonly json?: boolean;
}

const DOCTOR_EXIT_CODES = '\nExit codes:\n  0  all is well\n  1  there are warnings\n  2  something is broken';

/** The whole command line of `tidegate`. What only one command needs is loaded when that command runs: it is half of the start. */
export function buildProgram(): Command {
  const program = new Command('tidegate').description('Connectivity webhooks in, verified gates out.').version('0.1.0');
  withUpFlags(program.command('up').description('start everything on this machine'))
    .addHelpText('after', '\nExample:\n  tidegate up --config tidegate.yaml --data-dir .tidegate')
    .action(async (flags: UpFlags) => (await import('./up/run-up.ts')).runUp(flags));
  withUpFlags(program.command('demo').description('play one outage with a simulated Localtonet, then leave the api up'))
    .addHelpText('after', '\nExample:\n  tidegate demo')
    .action(async (flags: UpFlags) => (await import('./demo/run-demo.ts')).runDemo(flags));
  program
    .command('check')
    .description('check a config and show the policy in effect for each service')
    .option('--config <file>', 'the config to check (default: tidegate.yaml)')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  tidegate check --config tidegate.yaml')
    .action(async (flags: ConfigFlags) => (await import('./check/run-check.ts')).runCheck(flags));
  program
    .command('doctor')
    .description('look at all that Tidegate needs, and name the fix of what is wrong; changes nothing')
    .option('--config <file>', 'the config in use (default: tidegate.yaml)')
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  tidegate doctor\n${DOCTOR_EXIT_CODES}`)
    .action(async (flags: ConfigFlags) => (await import('./doctor/run-doctor.ts')).runDoctor(flags));
  addKeysCommands(program.command('keys').description('create, list and revoke API keys'));
  addGateCommands(program.command('gate').description('hold a gate, force it open, or take that back'));
  addIncidentsCommands(program.command('incidents').description('see, acknowledge, note and end incidents'));
  addServicesCommands(program.command('services').description('what is watched, and how it is'));
  addCallbacksCommands(program.command('callbacks').description('see, cancel and redrive callbacks'));
  addReviewCommands(program.command('review').description('decide on callbacks whose outcome nobody knows'));
  addReplayCommand(program.command('replay'));
  addSilenceCommands(program.command('silence').description('mute pages for a while'));
  addNotifyCommands(program.command('notify').description('whom incidents are told to, and whether that works'));
  addSourcesCommands(program.command('sources').description('see, add, rotate and remove webhook sources'));
  addSigningSecretsCommands(
    program.command('signing-secrets').description('what callbacks are signed with: see, rotate, retire'),
  );
  addReceiversCommands(program.command('receivers').description('see receivers, and stop waiting for one'));
  addQuarantineCommands(program.command('quarantine').description('bodies of known sources that were not understood'));
  addVaultCommands(program.command('vault').description('keys: see, rotate, and open what was sealed'));
  addAuditCommands(program.command('audit').description('who did what, and the proof that nobody changed it'));
  addCompletionsCommand(program);
  return program;
}

function withUpFlags(command: Command): Command {
  return command
    .option('--config <file>', 'config file (default: tidegate.yaml)')
    .option('--data-dir <dir>', 'where keys and the embedded database live (default: .tidegate)')
    .option('--receiver-port <n>', 'port of the webhook listener, 0 = any (default: 7411)', toPort)
    .option('--api-port <n>', 'port of the API, 0 = any (default: 7412)', toPort)
    .option('--ready-file <file>', 'written when everything accepts requests (default: <data-dir>/ready.json)');
}

function toPort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  return Number(text);
}
