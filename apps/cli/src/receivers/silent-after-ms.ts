import { loadConfig, type ProcessEnv, parseConfig } from '@tidegate/runtime';

/** `receiver.silentAfter` of the config; its default where there is none, or one that other apps could not start with. */
export function silentAfterMs(env: ProcessEnv): number {
  try {
    return loadConfig({ file: env.configFile, app: 'cli' }).receiver.silentAfterMs;
  } catch {
    const defaults = { file: '', source: 'sources: [{ name: default }]', app: 'cli', env: {} } as const;
    return parseConfig(defaults).receiver.silentAfterMs;
  }
}
