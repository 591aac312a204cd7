import { access } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { runApp, writeStarterConfig } from '@tidegate/runtime';
import { say } from '../output/say.ts';
import { loadWholeConfig } from './load-whole-config.ts';
import { openDataDir } from './open-data-dir.ts';
import { startStack } from './start-stack.ts';
import { toUpSettings, type UpFlags, type UpSettings } from './up-settings.ts';
import type { ReadyFile } from './write-ready-file.ts';

/** `tidegate up`: everything on one machine, until Ctrl-C. */
export async function runUp(flags: UpFlags): Promise<void> {
  await runApp({
    name: 'tidegate',
    start: async ({ env, log, pid, stopping }) => {
      const settings = toUpSettings(flags, env);
      if (!(await exists(settings.configFile))) {
        await writeStarterConfig(settings.configFile);
        say(`Wrote a starter config: ${settings.configFile}`);
      }
      const config = loadWholeConfig(settings.configFile);
      await openDataDir(settings.dataDir);
      const stack = await startStack({
        settings,
        config,
        log,
        parentPid: pid,
        signal: stopping,
        onStep: (step) => say(`${step} …`),
      });
      greet(stack.ready(), settings, stack.keyringCreated);
      return { close: [() => stack.stop()] };
    },
  });
}

/** Secrets are shown to a person at a terminal only; a log that is kept somewhere gets the path of the file. */
function greet(ready: ReadyFile, settings: UpSettings, keyringCreated: boolean): void {
  const atTerminal = isatty(1);
  say('');
  say(`Tidegate is up.  api ${ready.apiUrl}   receiver ${ready.receiverUrl}`);
  for (const { name, webhookUrl } of ready.sources) {
    say(`Webhook URL of ${name}: ${atTerminal ? webhookUrl : `in ${settings.readyFile}`}`);
  }
  say(`Admin key: ${atTerminal ? ready.adminKey : `in ${settings.dataDir}/admin-key`}`);
  say(`On-call page: ${ready.pageUrl}, to sign in to with an API key`);
  say(`Ready file: ${settings.readyFile}`);
  if (keyringCreated) {
    say(
      `Back up ${settings.dataDir}/keyring now, apart from the database: without it nothing that was sealed can be read.`,
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
