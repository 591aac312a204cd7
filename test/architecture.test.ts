import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { judgeFile, judgeTopLevel } from './architecture/judge-files.ts';
import { findCycles, judgeImports } from './architecture/judge-imports.ts';
import { judgeCatalog, judgeManifest } from './architecture/judge-manifests.ts';
import { listPaths, ROOT, readManifests, readSources, toSourceFile } from './architecture/read-house.ts';
import { listImports, scanSource } from './architecture/scan-source.ts';

/*
 * The rules of ARCHITECTURE.md, derived a second time from the source files, so that switching a linter off still turns a test red.
 * Each rule is also fed planted violations: a checker that cannot fail proves nothing.
 */

const inTemplate = (code: string) => `const x = \`import 'no' \${${code}}\`;`;
const sources = readSources();
const manifests = readManifests();

describe('the house', () => {
  it('is large enough to be the real one', () => {
    expect(sources.length).toBeGreaterThan(30);
    expect(manifests.map((manifest) => manifest.folder)).toEqual(
      expect.arrayContaining([
        '.',
        'apps/api',
        'apps/cli',
        'apps/receiver',
        'apps/worker',
        'packages/core',
        'packages/vault',
      ]),
    );
  });

  it('imports in one direction', () => expect(judgeImports(sources)).toEqual([]));
  it('has no import cycle', () => expect(findCycles(sources)).toEqual([]));
  it('keeps every file short, pure where it must be, and honest', () => expect(sources.flatMap(judgeFile)).toEqual([]));
  it('has a fixed top level', () => expect(judgeTopLevel(listPaths('.'))).toEqual([]));

  it('runs a test that puts a part of Node in place of another in a process of its own', () => {
    const config = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8');
    const swapping = listPaths('.')
      .filter((path) => /^(?:apps|packages)\/.*\.test\.tsx?$/.test(path))
      .filter((path) => /vi\.(?:mock|doMock|useFakeTimers|stubGlobal)\(/.test(readFileSync(join(ROOT, path), 'utf8')));
    expect(swapping).not.toEqual([]);
    expect(swapping.filter((path) => !config.includes(`'${path}'`))).toEqual([]);
  });

  it('pins every dependency in the catalog and uses it', () => {
    const { catalog } = parse(readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')) as {
      catalog: Record<string, string>;
    };
    expect([
      ...judgeCatalog(catalog, manifests),
      ...manifests.flatMap((manifest) => judgeManifest(manifest, sources)),
    ]).toEqual([]);
  });

  it('never lets a rule of dependency-cruiser become a warning', () => {
    const config = readFileSync(join(ROOT, '.dependency-cruiser.cjs'), 'utf8');
    expect(config).not.toMatch(/severity: '(?!error')/);
    expect(config.match(/severity: 'error'/g)?.length).toBeGreaterThanOrEqual(16);
  });
});

describe('the import rules can fail', () => {
  it.each([
    ['packages/core/src/verify/a.ts', '../record/b.ts', 'core rooms'],
    ['packages/core/src/model/a.ts', '../record/b.ts', 'core rooms'],
    ['packages/core/src/replay/a.ts', '../release/b.ts', 'core rooms'],
    ['packages/core/src/correlate/a.ts', '../replay/b.ts', 'core rooms'],
    ['packages/core/src/verify/a.ts', 'node:fs', 'zod and nothing else'],
    ['packages/core/src/verify/a.ts', 'fs', 'zod and nothing else'],
    ['packages/core/src/verify/a.ts', '@tidegate/store', 'may not import'],
    ['packages/runtime/src/a.ts', '@tidegate/core', 'may not import'],
    ['packages/client/src/a.ts', '@tidegate/core', 'may not import'],
    ['packages/embedded/src/a.ts', '@tidegate/runtime', 'may not import'],
    ['packages/simulator/src/a.ts', '@tidegate/client', 'may not import'],
    ['packages/store/src/a.ts', '@tidegate/vault', 'may not import'],
    ['packages/vault/src/a.ts', '@tidegate/store', 'may not import'],
    ['packages/queue/src/a.ts', '@tidegate/outbound', 'may not import'],
    ['packages/outbound/src/a.ts', '@tidegate/queue', 'may not import'],
    ['packages/store/src/a.ts', '@tidegate/worker', 'imports an app'],
    ['apps/api/src/a.ts', '@tidegate/worker', 'imports an app'],
    ['apps/api/src/a.ts', '../../worker/src/main.ts', 'leaves the package'],
    ['apps/api/src/a.ts', '../../../packages/core/src/index.ts', 'leaves the package'],
    ['packages/store/src/a.ts', '../../core/src/index.ts', 'leaves the package'],
    ['apps/api/src/a.ts', '../../../test/support/verifies.ts', 'leaves the package'],
    ['apps/api/src/a.ts', './b.test.ts', 'imports no test'],
    ['apps/api/src/a.ts', '@tidegate/core/src/model/gate.ts', 'front door'],
    ['apps/api/src/a.ts', '@tidegate/common', 'no such package'],
    ['apps/api/src/a.ts', '@tidegate/outbound', 'may not import'],
    ['apps/receiver/src/a.ts', '@tidegate/outbound', 'may not import'],
    ['apps/worker/src/a.ts', '@tidegate/simulator', 'may not import'],
    ['apps/receiver/src/a.ts', '@tidegate/vault/open', 'only the worker'],
    ['apps/api/src/a.ts', '@tidegate/vault/open', 'only the worker'],
    ['apps/cli/src/gate.ts', '@tidegate/vault/open', 'only the worker'],
    ['packages/store/src/a.ts', '@tidegate/vault/open', 'only the worker'],
    ['packages/vault/src/index.ts', './open.ts', 'sealing side'],
    ['packages/vault/src/sealing/a.ts', '../opening/b.ts', 'sealing side'],
    ['apps/worker/src/a.ts', 'postgres', 'sole owner'],
    ['apps/worker/src/a.ts', 'drizzle-orm/postgres-js', 'sole owner'],
    ['packages/store/src/a.ts', 'pg', 'sole owner'],
    ['packages/store/src/a.ts', 'bullmq', 'sole owner'],
    ['packages/runtime/src/a.ts', 'ioredis', 'sole owner'],
    ['packages/queue/src/a.ts', 'undici', 'sole owner'],
    ['apps/api/src/a.ts', 'pino', 'sole owner'],
    ['apps/api/src/a.ts', 'prom-client', 'sole owner'],
    ['apps/cli/src/a.ts', 'yaml', 'sole owner'],
    ['packages/store/src/a.ts', '@hpke/core', 'sole owner'],
    ['apps/worker/src/a.ts', 'hono/jsx', 'sole owner'],
    ['apps/worker/src/a.ts', 'node:process', 'reads the process'],
  ])('%s may not import %s', (path, name, why) => {
    const forms = [
      `import { x } from '${name}';`,
      `export * from "${name}";`,
      `type X = import('${name}').X;`,
      `await import(\`${name}\`);`,
    ];
    for (const text of forms) expect(judgeImports([toSourceFile(path, text)])).toEqual([expect.stringContaining(why)]);
  });

  it.each([
    ['packages/core/src/verify/a.ts', '../model/b.ts'],
    ['packages/core/src/replay/a.ts', '../correlate/b.ts'],
    ['packages/core/src/verify/a.ts', 'zod'],
    ['packages/store/src/gate/a.ts', '@tidegate/core'],
    ['packages/store/src/gate/a.ts', 'postgres'],
    ['packages/store/src/gate/a.ts', 'node:fs'],
    ['apps/worker/src/a.ts', '@tidegate/vault/open'],
    ['apps/cli/src/vault/a.ts', '@tidegate/vault/open'],
    ['apps/api/src/a.test.ts', '../../../test/support/verifies.ts'],
    ['test/e2e/a.test.ts', '../../packages/embedded/src/index.ts'],
  ])('%s may import %s', (path, name) => {
    expect(judgeImports([toSourceFile(path, `import { x } from '${name}';`)])).toEqual([]);
  });

  it('finds a cycle, and no cycle in a diamond', () => {
    const plant = (name: string, ...targets: string[]) =>
      toSourceFile(
        `packages/store/src/${name}.ts`,
        targets.map((target) => `import type { X } from './${target}.ts';`).join('\n'),
      );
    expect(findCycles([plant('a', 'b'), plant('b', 'c'), plant('c', 'b')])).toEqual([
      'packages/store/src/b.ts → packages/store/src/c.ts → packages/store/src/b.ts',
    ]);
    expect(findCycles([plant('a', 'b', 'c'), plant('b', 'd'), plant('c', 'd'), plant('d')])).toEqual([]);
  });
});

describe('the file rules can fail', () => {
  const lines = (count: number) => 'x;\n'.repeat(count);

  it.each([
    ['packages/store/src/a.ts', lines(301), '301 lines'],
    ['packages/store/src/a.test.ts', lines(601), '601 lines'],
    ['test/faults/a.ts', lines(601), '601 lines'],
    ['packages/store/src/gate/utils.ts', '', 'name what it does'],
    ['packages/store/src/helpers/a.ts', '', 'name what it does'],
    ['packages/store/src/common.ts', '', 'name what it does'],
    ['packages/queue/src/job-manager.ts', '', 'name what it does'],
    ['packages/store/src/readGate.ts', '', 'kebab-case'],
    ['packages/store/src/a.ts', '// oxlint-disable-next-line no-console', 'switches a rule off'],
    ['packages/store/src/a.ts', '/* biome-ignore lint: x */', 'switches a rule off'],
    ['packages/store/src/a.ts', '// @ts-expect-error', 'switches a rule off'],
    ['packages/store/src/a.ts', '// TODO later', 'puts work off'],
    ['packages/store/src/a.ts', 'const x = process.env.X;', 'process.env'],
    ['packages/runtime/src/log/a.ts', "const x = process['env'];", 'process.env'],
    ['packages/runtime/src/log/a.ts', 'const { env } = process;', 'process.env'],
    ['packages/embedded/src/a.ts', 'const x = process?.env;', 'process.env'],
    ['packages/runtime/src/log/a.ts', 'const x = { ...process.env };', 'process.env'],
    ['packages/core/src/gate/a.ts', 'const x = [...crypto.bytes];', 'reaches for a global'],
    ['apps/worker/src/a.ts', 'process.exit(1);', 'process belongs'],
    ['apps/worker/src/a.ts', 'const x = globalThis.process;', 'process belongs'],
    ['apps/worker/src/a.ts', 'console.log(1);', 'only the cli prints'],
    ['packages/core/src/gate/a.ts', 'const x = Date.now();', 'clock'],
    ['packages/core/src/gate/a.ts', 'const x = new Date();', 'clock'],
    ['packages/core/src/gate/a.ts', 'const x = new Date;', 'clock'],
    ['packages/core/src/gate/a.ts', 'const x = Date();', 'clock'],
    ['packages/core/src/gate/a.ts', 'const { now } = Date;', 'clock'],
    ['packages/core/src/gate/a.ts', 'const x = at.getHours();', 'local time zone'],
    ['packages/core/src/gate/a.ts', 'const x = Math.random();', 'dice'],
    ['packages/core/src/gate/a.ts', 'await fetch(url);', 'acts on the world'],
    ['packages/core/src/gate/a.ts', 'setTimeout(f, 1);', 'acts on the world'],
    ['packages/core/src/gate/a.ts', 'const x = crypto.randomUUID();', 'reaches for a global'],
    ['packages/core/src/gate/a.ts', inTemplate('Date.now()'), 'clock'],
    ['packages/core/src/gate/a.test.ts', "it.only('x', f);", 'left out'],
    ['packages/core/src/gate/a.test.ts', "describe.skip('x', f);", 'left out'],
    ['packages/core/src/gate/a.test.ts', "it.concurrent.skip('x', f);", 'left out'],
    ['packages/core/src/gate/a.test.ts', "it.todo('x');", 'left out'],
    ['test/e2e/a.test.ts', "describe.skipIf(slow)('x', f);", 'left out'],
  ])('%s: %j', (path, text, why) => {
    expect(judgeFile(toSourceFile(path, text)).filter((finding) => finding.includes(why))).not.toEqual([]);
  });

  it.each([
    ['packages/store/src/a.ts', lines(300)],
    ['packages/store/src/a.test.ts', lines(600)],
    ['packages/store/src/read-gates.ts', ''],
    ['packages/runtime/src/config/a.ts', 'const x = process.env.X;'],
    ['packages/runtime/src/a.ts', 'process.exit(1);'],
    ['apps/worker/src/a.ts', 'child.process.kill(); child?.console.log();'],
    ['packages/core/src/gate/a.ts', '// Date.now() belongs to the caller\nconst x = "Date.now()";'],
    ['packages/core/src/gate/a.ts', 'const x = new Date(atMs).getUTCHours() + Date.UTC(2026, 0, 1);'],
    ['packages/core/src/gate/a.ts', 'const x = /[\'"]Date.now()/.test(y);'],
    ['packages/core/src/gate/a.test.ts', 'const x = Date.now();'],
    ['apps/cli/src/a.ts', 'console.log(1);'],
    ['infra/setup/test.mjs', 'console.log(process.env.X);'],
  ])('%s holds: %j', (path, text) => expect(judgeFile(toSourceFile(path, text))).toEqual([]));

  it('knows the top level', () => {
    const fixed = [
      'apps/',
      'packages/',
      'infra/',
      'test/',
      'README.md',
      'package.json',
      'pnpm-workspace.yaml',
      'turbo.json',
      'LICENSE',
    ];
    expect(judgeTopLevel(fixed)).toEqual([]);
    expect(judgeTopLevel([...fixed, 'scripts/'])).toEqual([expect.stringContaining('no such room')]);
    expect(judgeTopLevel([...fixed, 'notes.txt'])).toEqual([expect.stringContaining('neither')]);
    expect(judgeTopLevel(fixed.slice(1))).toEqual([expect.stringContaining('missing')]);
  });
});

describe('the manifest rules can fail', () => {
  const manifest = { folder: 'packages/store', dependencies: {}, devDependencies: {}, optionalDependencies: {} };
  const judge = (dependencies: Record<string, string>, text: string) =>
    judgeManifest({ ...manifest, dependencies }, [toSourceFile('packages/store/src/a.ts', text)]);

  it.each([
    [{ postgres: '^3.4.9' }, "import 'postgres';", 'must be "catalog:"'],
    [{ '@tidegate/core': 'catalog:' }, "import '@tidegate/core';", 'must be "workspace:*"'],
    [{ postgres: 'catalog:' }, '', 'never imported'],
    [{}, "import 'drizzle-orm/pg-core';", 'not declared'],
  ])('%j with %j', (dependencies, text, why) => {
    expect(judge(dependencies as Record<string, string>, text)).toEqual([expect.stringContaining(why)]);
  });

  it('holds when what is declared is what is imported', () => {
    expect(
      judge(
        { 'drizzle-orm': 'catalog:' },
        "import { pgTable } from 'drizzle-orm/pg-core';\nimport 'node:fs';\nimport './b.ts';",
      ),
    ).toEqual([]);
  });

  it('judges the catalog', () => {
    const asking = [{ ...manifest, dependencies: { zod: 'catalog:' } }];
    expect(judgeCatalog({ zod: '4.6.7' }, asking)).toEqual([]);
    expect(judgeCatalog({ zod: '^4.6.7' }, asking)).toEqual([expect.stringContaining('not exact')]);
    expect(judgeCatalog({ zod: '4.6.7', left: '1.0.0' }, asking)).toEqual([expect.stringContaining('nobody asks')]);
  });
});

describe('the scanner', () => {
  it('reads every form of import and nothing else', () => {
    const text = [
      "import a, { type B } from 'one';",
      'import\n  * as c\nfrom "two";',
      "export { d } from 'three';",
      "import 'four';",
      "const e = await import('five');",
      "type F = import('six').F;",
      "const g = require.resolve('seven');",
      "const h = import.meta.resolve('eight');",
      "// import 'no';",
      "/* import 'no'; */",
      'const i = "import \'no\'";',
      inTemplate("await import('nine')"),
      "const k = /import 'no'/;",
    ].join('\n');
    expect(listImports(scanSource(text)).sort()).toEqual([
      'eight',
      'five',
      'four',
      'nine',
      'one',
      'seven',
      'six',
      'three',
      'two',
    ]);
  });

  it('survives text that never closes what it opened', () => {
    for (const text of ["'open", '"open', '`open', '`open ${', '/* open', '/open', '}}}', '\\'])
      expect(() => scanSource(text)).not.toThrow();
  });
});
