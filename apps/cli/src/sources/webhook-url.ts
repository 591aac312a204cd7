import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig, type ProcessEnv } from '@tidegate/runtime';

/**
 * The URL to register at Localtonet for a path secret: at the config's `receiver.publicUrl`, else where the receiver of this
 * data folder listens, else with a place to fill in. It is a credential.
 */
export async function webhookUrl(env: ProcessEnv, secret: string): Promise<string> {
  const base = publicUrl(env) ?? (await listeningUrl(env)) ?? 'https://<your receiver>';
  return `${base.replace(/\/$/, '')}/hooks/localtonet/${secret}`;
}

/** A command about sources works without a config, or with one that other apps could not start with. */
function publicUrl(env: ProcessEnv): string | null {
  try {
    return loadConfig({ file: env.configFile, app: 'cli' }).receiver.publicUrl;
  } catch {
    return null;
  }
}

async function listeningUrl(env: ProcessEnv): Promise<string | null> {
  try {
    const ready: unknown = JSON.parse(await readFile(env.readyFile ?? join(env.dataDir, 'ready.json'), 'utf8'));
    const url = typeof ready === 'object' && ready !== null && 'receiverUrl' in ready ? ready.receiverUrl : null;
    return typeof url === 'string' ? url : null;
  } catch {
    return null;
  }
}
