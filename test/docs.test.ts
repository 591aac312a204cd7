import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configJsonSchema, EVENT_CATALOG, METRIC_CATALOG } from '@tidegate/runtime';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../apps/cli/src/build-program.ts';
import { listPaths, ROOT } from './architecture/read-house.ts';

const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md', 'DECISIONS.md'];
const ROOM = /^(apps|packages|infra|test|\.ci)\//;
const ROOT_FILE = /^(vitest\.config\.ts|[.\w-]+\.(md|json|jsonc|yaml|cjs))$/;
/** Names that are spelled like root files but are made or written by the reader. */
const NOT_KEPT_HERE = new Set(['tidegate.yaml']);

/** Every repository path a document names: in backticks, in a fenced block, or as the target of a link. */
function listNamedPaths(text: string): string[] {
  const fenced = [...text.matchAll(/^```.*\n([\s\S]*?)^```/gm)].flatMap((match) => (match[1] ?? '').split(/\s+/));
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const quoted = [...prose.matchAll(/`([^`\n]+)`/g)].flatMap((match) => (match[1] ?? '').split(/\s+/));
  const linked = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  const local = linked.filter((target) => !/^([a-z]+:|#)/.test(target)).map((target) => target.replace(/#.*$/, ''));
  const named = [...fenced, ...quoted].map((word) => word.replace(/^['"(]+|['"),.:;]+$/g, '').replace(/^\.\//, ''));
  return [...local, ...named.filter((word) => ROOM.test(word) || (ROOT_FILE.test(word) && !NOT_KEPT_HERE.has(word)))];
}

/** Whether a named path is there. `<noun>` and `*` stand for any name, and what a build makes counts as there. */
function isThere(path: string, existing: string[]): boolean {
  if (path.split('/').includes('dist')) return true;
  const pattern = path
    .replace(/\/$/, '')
    .split(/<[^>]+>|\*+/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]+');
  const wanted = new RegExp(`^${pattern}/?$`);
  return existing.some((one) => wanted.test(one));
}

describe('the documents', () => {
  const existing = listPaths('.');

  it.each(DOCUMENTS)('%s names only paths that exist', (name) => {
    expect(existsSync(join(ROOT, name))).toBe(true);
    const named = listNamedPaths(readFileSync(join(ROOT, name), 'utf8'));
    expect([...new Set(named)].filter((path) => !isThere(path, existing))).toEqual([]);
  });

  it('ARCHITECTURE.md leads to every package and app', () => {
    const named = new Set(
      listNamedPaths(readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8')).map((path) => path.replace(/\/$/, '')),
    );
    const members = existing.filter((path) => /^(apps|packages)\/[^/]+\/$/.test(path)).map((path) => path.slice(0, -1));
    expect(members.filter((member) => !named.has(member))).toEqual([]);
  });
});

/** What a document lets its reader type or look for: code in backticks, and the lines of fenced blocks. */
function listCode(text: string): string[] {
  const fenced = [...text.matchAll(/^```.*\n([\s\S]*?)^```/gm)].flatMap((match) => (match[1] ?? '').split('\n'));
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  return [...fenced, ...[...prose.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '')];
}

/** What is wrong with a command line that a document gives: a command or an option that there is not. */
function judgeCommand(line: string): string[] {
  const [, rest] = /(?:^|[\s(])tidegate ([a-z].*)/.exec(line.replaceAll(/\s+/g, ' ')) ?? [];
  if (rest === undefined) return [];
  let command: Pick<ReturnType<typeof buildProgram>, 'name' | 'commands' | 'options'> = buildProgram();
  for (const word of rest.split(/[\s)]/)) {
    if (command.commands.length > 0) {
      const next = command.commands.find((child) => child.name() === word);
      if (next === undefined) return [`${line}: no command ${word}`];
      command = next;
    } else if (word.startsWith('--') && !command.options.some(({ long }) => long === word)) {
      return [`${line}: no option ${word}`];
    }
  }
  return [];
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Every setting by each end of its path, as documents name it: `retry.attempts` and `policies.release.retry.attempts`. */
function listSettings(schema: Schema, path: readonly string[]): string[] {
  const { properties = {}, additionalProperties, items, anyOf = [], oneOf = [] } = schema;
  const below = [items, additionalProperties, ...anyOf, ...oneOf].filter((one) => typeof one === 'object');
  return [
    ...path.map((_, index) => path.slice(index).join('.')),
    ...Object.entries(properties).flatMap(([key, one]) => listSettings(one, [...path, key])),
    ...below.flatMap((one) => listSettings(one, path)),
  ];
}

describe('what the documents let a reader type or look for', () => {
  const code = DOCUMENTS.flatMap((name) => listCode(readFileSync(join(ROOT, name), 'utf8')));
  const names = (pattern: RegExp) => [
    ...new Set(code.flatMap((text) => [...text.matchAll(pattern)].map(([name]) => name))),
  ];

  it('is a command that there is, with options that it has', () => {
    const lines = code.filter((text) => /(^|\s)tidegate [a-z]/.test(text));
    expect(lines.length).toBeGreaterThan(20);
    expect(lines.flatMap(judgeCommand)).toEqual([]);
    expect(judgeCommand('tidegate incidents lst')).toEqual(['tidegate incidents lst: no command lst']);
    expect(judgeCommand('$ tidegate gate hold x --because y')).toHaveLength(1);
  });

  it('is a metric that there is', () => {
    const known = new Set<string>(Object.values(METRIC_CATALOG).map(({ name }) => name));
    const named = names(/tidegate_[a-z]+_[a-z_]+[a-z]/g);
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });

  it('is a variable that is read', () => {
    const reader = readFileSync(join(ROOT, 'packages/runtime/src/config/read-process-env.ts'), 'utf8');
    const named = names(/\b(TIDEGATE_[A-Z_]+|DATABASE_URL|REDIS_URL|LOG_LEVEL)\b/g);
    expect(named.length).toBeGreaterThan(6);
    expect(named.filter((name) => !reader.includes(`'${name}'`))).toEqual([]);
  });

  it('is a setting, or a line of the log, that there is', () => {
    const settings = listSettings(configJsonSchema(), []);
    const known = [...settings, ...Object.keys(EVENT_CATALOG)];
    const first = new Set(known.map((name) => name.split('.')[0]));
    const named = names(/^[a-zA-Z_]+(?:\.[a-zA-Z_]+)+$/g).filter((name) => first.has(name.split('.')[0]));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !known.includes(name))).toEqual([]);
  });
});

describe('the path check can fail', () => {
  const existing = [
    'packages/',
    'packages/core/',
    'packages/core/src/',
    'packages/core/src/gate/',
    'packages/core/src/gate/decide.ts',
    'turbo.json',
  ];
  const missing = (text: string) => listNamedPaths(text).filter((path) => !isThere(path, existing));

  it.each([
    ['see `packages/lost/src`', 'packages/lost/src'],
    ['see `packages/core/src/<noun>/missing.ts`', 'packages/core/src/<noun>/missing.ts'],
    ['run `node infra/setup/gone.mjs`.', 'infra/setup/gone.mjs'],
    ['see `knip.jsonc`', 'knip.jsonc'],
    ['see [there](docs/there.md#part)', 'docs/there.md'],
    ['```sh\nnode test/gone/run.mjs --x\n```', 'test/gone/run.mjs'],
  ])('%j', (text, path) => expect(missing(text)).toEqual([path]));

  it('takes paths that exist, patterns, builds, addresses and other words', () => {
    const text = [
      '`packages/core/src/gate/`, `packages/core/src/<room>/<verb>.ts`, `packages/*/src`, `turbo.json`, `tidegate.yaml`',
      '[a](packages/core) [b](https://example.org/x) [c](#part) `node apps/cli/dist/main.js` `POST /v1/callbacks` `queued`',
    ].join('\n');
    expect(missing(text)).toEqual([]);
  });
});
