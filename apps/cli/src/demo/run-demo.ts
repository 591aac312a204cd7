import { createWriteStream } from 'node:fs';
import { access, open, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadConfig, runApp, untilInterrupted } from '@tidegate/runtime';
import { startWorld } from '@tidegate/simulator';
import { say } from '../output/say.ts';
import { openDataDir } from '../up/open-data-dir.ts';
import { startStack } from '../up/start-stack.ts';
import { toUpSettings, type UpFlags } from '../up/up-settings.ts';
import { createDemoApi } from './demo-api.ts';
import { demoConfig } from './demo-config.ts';
import { createNarrator } from './narrator.ts';
import { playOutage } from './play-outage.ts';

const MARKER = '.demo';

/** `tidegate demo`: a simulated Localtonet, one outage played live, and then the API is left up to look around in. */
export async function runDemo(flags: UpFlags): Promise<void> {
  const dataDir = resolve(flags.dataDir ?? '.tidegate-demo');
  await emptyFolder(dataDir);
  const logFile = join(dataDir, 'demo.log');
  const lines = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  const logs = await open(logFile, 'a', 0o600);
  await runApp({
    name: 'tidegate',
    logDestination: { write: (line) => void lines.write(line) },
    start: async ({ env, log, pid, stopping, stop }) => {
      stopping.addEventListener('abort', () => say('Stopping everything …'), { once: true });
      // The story is told to somebody: once nobody reads it any more, it is over.
      untilInterrupted().signal.addEventListener('abort', () => stop(), { once: true });
      const world = await startWorld({ stoppedAppDelayMs: 2000 });
      const config = join(dataDir, 'tidegate.yaml');
      await writeFile(config, demoConfig(world), { mode: 0o600 });
      // A demo must not write into a database somebody keeps, and must not fight a running Tidegate for its ports.
      const own = { ...env, databaseUrl: null, redisUrl: null, receiverPort: 0, apiPort: 0 };
      const settings = toUpSettings({ ...flags, config, dataDir }, own);
      const stack = await startStack({
        settings,
        config: loadConfig({ file: config, app: 'cli' }),
        log,
        parentPid: pid,
        signal: stopping,
        onStep: (step) => say(`${step} …`),
        outputFd: logs.fd,
      });
      const { apiUrl, pageUrl, adminKey, sources } = stack.ready();
      for (const { webhookUrl } of sources) world.connectWebhook(webhookUrl);
      try {
        await playOutage(world, createDemoApi(apiUrl, adminKey), createNarrator(), stopping);
      } catch (error) {
        await stack.stop();
        await world.close();
        throw error;
      }
      tellWhatNext({ apiUrl, pageUrl }, dataDir);
      return { close: [() => stack.stop(), () => world.close(), () => logs.close()] };
    },
  });
}

/** A demo starts from nothing; a folder that a demo did not make is never emptied. */
async function emptyFolder(dataDir: string): Promise<void> {
  const present = await readdir(dataDir).catch(() => []);
  if (present.length > 0) {
    await access(join(dataDir, MARKER)).catch(() => {
      throw Object.assign(new Error('not a demo folder'), {
        publicMessage: `${dataDir} is not empty and was not made by a demo.`,
      });
    });
    await rm(dataDir, { recursive: true, force: true });
  }
  await openDataDir(dataDir);
  await writeFile(join(dataDir, MARKER), '');
}

function tellWhatNext({ apiUrl, pageUrl }: { apiUrl: string; pageUrl: string }, dataDir: string): void {
  const curl = `curl -s -H "authorization: Bearer $(cat ${dataDir}/admin-key)" ${apiUrl}`;
  say(`\nThe on-call page stays up: open ${pageUrl} and sign in with the key in ${dataDir}/admin-key.`);
  say('The API does too. Try, in another terminal:');
  say(`  ${curl}/v1/gates/research-agent`);
  say(`  ${curl}/v1/incidents`);
  say(`  ${curl}/v1/observations`);
  say(`Logs: ${join(dataDir, 'demo.log')}.  Ctrl-C stops everything.`);
}
