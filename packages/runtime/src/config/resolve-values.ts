import { type Alias, type Document, isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { AppName } from './config.ts';
import type { PathIssue } from './describe-issue.ts';
import { type KeyPath, matchesPath } from './key-path.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** Places that can hold a credential, and the apps that read them; a reference anywhere else is everybody's. */
const OWNED_PATHS: readonly { readonly pattern: string; readonly apps: readonly AppName[] }[] = [
  { pattern: 'sources.*.secret', apps: ['receiver', 'cli'] },
  { pattern: 'localtonet.apiKey', apps: ['worker'] },
  { pattern: 'services.*.signingSecret', apps: ['worker'] },
  { pattern: 'services.*.probes.*.url', apps: ['worker'] },
  { pattern: 'services.*.probes.*.headers.*', apps: ['worker'] },
  { pattern: 'services.*.probes.*.expect.bodyIncludes', apps: ['worker'] },
  { pattern: 'outbound.probes.control.url', apps: ['worker'] },
  { pattern: 'deadMan.url', apps: ['worker'] },
  { pattern: 'traces.url', apps: ['worker'] },
  { pattern: 'traces.headers.*', apps: ['worker'] },
  ...[
    'url',
    'signingSecret',
    'routingKey',
    'authorization',
    'topic',
    'token',
    'host',
    'user',
    'password',
    'from',
    'to.*',
  ].map((key) => ({ pattern: `notify.channels.*.${key}`, apps: ['worker'] as const })),
];

/** `tunnel: 298487` is a natural thing to write, and its text is what counts: a number would lose digits. */
const TEXT_KEYS = new Set<string | number>(['tunnel', 'device']);

/** Aliases can make a small file huge, or endless. */
const MOST_NODES = 100_000;
const DEEPEST = 32;

/** Whether `app` resolves the references at `path`, and so may see the value there. */
export function ownsPath(app: AppName, path: KeyPath): boolean {
  const owned = OWNED_PATHS.find(({ pattern }) => matchesPath(path, pattern));
  return owned === undefined || owned.apps.includes(app);
}

/**
 * The plain value of a YAML document, with `${NAME}` replaced from `env` where `app` owns the place; elsewhere the text
 * stays as written. `$${` stands for a literal `${`. Keys without a value count as absent. A variable that is not set or
 * empty is an issue at its key.
 */
export function resolveValues(document: Document, app: AppName, env: Env): { value: unknown; issues: PathIssue[] } {
  const issues: PathIssue[] = [];
  let nodes = 0;
  let tooLarge = false;

  function resolveAlias(alias: Alias, path: KeyPath): unknown {
    const target = alias.resolve(document);
    if (target === undefined) {
      issues.push({ path, message: 'is an alias that names no anchor above it' });
      return null;
    }
    return resolve(target, path);
  }

  function resolve(node: unknown, path: KeyPath): unknown {
    nodes += 1;
    if (nodes > MOST_NODES || path.length > DEEPEST) {
      tooLarge = true;
      return null;
    }
    if (isAlias(node)) {
      return resolveAlias(node, path);
    }
    if (isMap(node)) {
      const entries = node.items.map(({ key, value }) => {
        const keyText = isScalar(key) ? String(key.value) : '?';
        return [keyText, resolve(value, [...path, keyText])] as const;
      });
      return Object.fromEntries(entries.filter(([, value]) => value !== null && value !== undefined));
    }
    if (isSeq(node)) {
      return node.items.map((item, index) => resolve(item, [...path, index]));
    }
    if (!isScalar(node)) {
      return null;
    }
    if (typeof node.value === 'number' && TEXT_KEYS.has(path.at(-1) ?? '') && node.source !== undefined) {
      return node.source;
    }
    if (typeof node.value !== 'string' || !ownsPath(app, path)) {
      return node.value;
    }
    return interpolate(node.value, env, (message) => issues.push({ path, message }));
  }

  const value = resolve(document.contents, []) ?? {};
  if (tooLarge) {
    issues.push({ path: [], message: 'the file is too large or too deep once its aliases are written out' });
  }
  return { value, issues };
}

function interpolate(text: string, env: Env, report: (message: string) => void): string {
  return text.replaceAll(/\$\$\{|\$\{([^}]*)\}?/g, (match, reference: string | undefined) => {
    if (match === '$${') {
      return '${';
    }
    const problem = problemOf(reference ?? '', match.endsWith('}'), env);
    if (problem !== null) {
      report(problem);
      return match;
    }
    return env[reference ?? ''] ?? '';
  });
}

function problemOf(reference: string, closed: boolean, env: Env): string | null {
  // Upper case only, so that a secret put between the braces by mistake is not taken for a name and repeated.
  if (!closed || !/^[A-Z_][A-Z0-9_]{0,63}$/.test(reference)) {
    return `holds a reference that is not \${NAME} in capitals; write $\${ for the characters themselves`;
  }
  const value = env[reference];
  return value === undefined || value === '' ? `needs the environment variable ${reference}, which is not set` : null;
}
