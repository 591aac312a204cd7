import { type Config, loadConfig } from '@tidegate/runtime';

/**
 * Loads a config as every app will, so that a variable missing for one of them is reported before anything is started.
 * @returns the cli's own view of it
 * @throws ConfigError
 */
export function loadWholeConfig(file: string): Config {
  for (const app of ['receiver', 'api', 'worker'] as const) loadConfig({ file, app });
  return loadConfig({ file, app: 'cli' });
}
