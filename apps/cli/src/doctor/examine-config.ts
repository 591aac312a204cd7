import { type Config, ConfigError, EnvError, loadConfig, readProcessEnv } from '@tidegate/runtime';
import { loadWholeConfig } from '../up/load-whole-config.ts';
import { broken, type Finding, ok } from './finding.ts';

export interface ExaminedConfig {
  readonly findings: readonly Finding[];
  /** As the worker sees it; null when no app could start with it. */
  readonly config: Config | null;
}

/** Loads the config as every app will. What is wrong is named by file, line and key, never by value. */
export function examineConfig(file: string): ExaminedConfig {
  try {
    loadWholeConfig(file);
    const config = loadConfig({ file, app: 'worker' });
    const says = `${file}: ${config.sources.length} source(s), ${config.services.length} service(s).`;
    return { findings: [ok('config', says)], config };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const findings = error.issues.map(({ line, key, message }) =>
      broken('config', `${file}:${line}: ${key === '' ? '' : `${key} `}${message}.`, fixOf(file, message)),
    );
    return { findings, config: null };
  }
}

function fixOf(file: string, message: string): string {
  if (message.includes('does not exist'))
    return `Start \`tidegate up\` once, which writes ${file}, or name another with --config.`;
  if (message.includes('environment variable'))
    return 'Set it in the environment that Tidegate is started from, and in this one.';
  return `Change it in ${file}, then run \`tidegate check\`.`;
}

/** The environment, or the finding that says which variable cannot be used. */
export function examineEnv() {
  try {
    return { env: readProcessEnv(), findings: [] };
  } catch (error) {
    if (!(error instanceof EnvError)) throw error;
    return { env: null, findings: [broken('config', error.message, `Set ${error.variable} anew, or unset it.`)] };
  }
}
