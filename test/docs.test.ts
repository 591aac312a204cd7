import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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
