import { readFileSync, statSync } from 'node:fs';
import { checkConfig } from './check-config.ts';
import type { AppName, Config } from './config.ts';
import { ConfigError, type ConfigIssue } from './config-error.ts';
import { configSchema } from './config-schema.ts';
import { describeIssues, type PathIssue } from './describe-issue.ts';
import { formatKeyPath } from './key-path.ts';
import { listDefaults } from './list-defaults.ts';
import { readYaml, type YamlFile } from './read-yaml.ts';
import { type Env, resolveValues } from './resolve-values.ts';
import { toConfig } from './to-config.ts';

const MOST_ISSUES = 20;
const LARGEST_FILE_BYTES = 1024 * 1024;

/**
 * Reads `tidegate.yaml` as one app sees it. `${NAME}` is resolved from `env` (the process environment unless given) only
 * where that app may see the value. Throws ConfigError with the first twenty issues, none of which repeats a value (I3).
 */
export function loadConfig(options: { file: string; app: AppName; env?: Env }): Config {
  const { file, app, env = process.env } = options;
  return parseConfig({ file, app, env, source: readSource(file) });
}

/** The same from text that is already read; `file` only names it in errors. */
export function parseConfig(options: { file: string; app: AppName; env: Env; source: string }): Config {
  const { file, app, env, source } = options;
  const yaml = readYaml(source);
  throwIssues(yaml.errors.map(({ line, message }) => ({ file, line, key: '', message })));

  const { value, issues } = resolveValues(yaml.document, app, env);
  const parsed = configSchema.safeParse(value);
  if (!parsed.success) {
    // A value whose reference could not be resolved was reported once already.
    const reported = new Set(issues.map(({ path }) => formatKeyPath(path)));
    const found = parsed.error.issues.flatMap(describeIssues).filter(({ path }) => !reported.has(formatKeyPath(path)));
    throwIssues(placeIssues([...issues, ...found], yaml, file));
    throw new Error('A config without issues did not parse.');
  }
  throwIssues(placeIssues([...issues, ...checkConfig(parsed.data)], yaml, file));
  return toConfig(parsed.data, app, file, listDefaults(value, parsed.data));
}

export function placeIssues(issues: readonly PathIssue[], yaml: YamlFile, file: string): ConfigIssue[] {
  return issues
    .map(({ path, message }) => ({ file, line: yaml.lineOf(path), key: formatKeyPath(path), message }))
    .sort((a, b) => a.line - b.line);
}

export function throwIssues(issues: readonly ConfigIssue[]): void {
  const [first, ...rest] = issues.slice(0, MOST_ISSUES);
  if (first !== undefined) {
    throw new ConfigError([first, ...rest]);
  }
}

export function readSource(file: string): string {
  const refuse = (message: string) => new ConfigError([{ file, line: 1, key: '', message }]);
  let bytes: Buffer;
  try {
    if (statSync(file).size > LARGEST_FILE_BYTES) {
      throw refuse('the file is larger than 1 MiB');
    }
    bytes = readFileSync(file);
  } catch (error) {
    if (error instanceof ConfigError) {
      throw error;
    }
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw refuse(missing ? 'the file does not exist' : 'the file cannot be read');
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw refuse('the file is not UTF-8 text');
  }
}
