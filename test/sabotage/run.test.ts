import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/* A small workspace with one promise, and patches that break it well, badly and not at all. */

const RUNNER = fileURLToPath(new URL('run.mjs', import.meta.url));
const LIBRARIES = fileURLToPath(new URL('../../node_modules', import.meta.url));
const COUNT = 'packages/counting/src/count.ts';

const FILES: Record<string, string> = {
  'package.json': '{ "type": "module" }',
  'vitest.config.ts': `export default { ssr: { resolve: { conditions: ['source'], externalConditions: ['source', 'node'] } } };`,
  'packages/counting/package.json':
    '{ "name": "@tidegate/counting", "type": "module", "exports": { ".": { "source": "./src/count.ts", "default": "./dist/count.js" } } }',
  [COUNT]: 'export function count(items: string[]): number {\n  return items.length;\n}\n',
  'packages/asking/package.json': '{ "name": "@tidegate/asking", "type": "module" }',
  'packages/asking/src/count.test.ts': [
    `import { count } from '@tidegate/counting';`,
    `import { expect, it } from 'vitest';`,
    `it('[I1, I2] counts what it is given', () => expect(count(['a', 'b'])).toBe(2));`,
    `it('counts nothing', () => expect(count([])).toBe(0));`,
  ].join('\n'),
  'packages/asking/src/red.test.ts': [
    `import { expect, it } from 'vitest';`,
    `it('[I3] is red from the start', () => expect(0).toBe(1));`,
  ].join('\n'),
};

function patch(id: string, line: string): string {
  return [
    `# breaks: ${id}`,
    '# test: packages/asking/src/count.test.ts',
    `--- a/${COUNT}`,
    `+++ b/${COUNT}`,
    '@@ -1,3 +1,3 @@',
    ' export function count(items: string[]): number {',
    '-  return items.length;',
    `+  ${line}`,
    ' }',
    '',
  ].join('\n');
}

const PATCHES: Record<string, string> = {
  '1-caught.patch': patch('I1', 'return items.length + 1;'),
  '2-also-caught.patch': patch('I2', 'return 0;'),
  '3-harmless.patch': patch('I1', 'return [...items].length;'),
  '4-crashing.patch': patch('I1', 'return nowhere;'),
  '5-unreadable.patch': patch('I1', 'return ((;'),
  '6-beside-the-point.patch': patch('I1', 'return items.length || 5;'),
  '7-uncited.patch': patch('I9', 'return 0;'),
  '8-red-before.patch': patch('I3', 'return 0;').replace('count.test.ts', 'red.test.ts'),
  '9-stale.patch': patch('I1', 'return 0;').replace('items.length', 'things.length'),
};

let root = '';

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

beforeAll(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'sabotage-test-'));
  for (const [path, text] of Object.entries(FILES)) write(path, text);
  for (const [name, text] of Object.entries(PATCHES)) write(`test/sabotage/${name}`, text);
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(join(LIBRARIES, 'vitest'), join(root, 'node_modules', 'vitest'));
  mkdirSync(join(root, 'packages/asking/node_modules/@tidegate'), { recursive: true });
  symlinkSync('../../../counting', join(root, 'packages/asking/node_modules/@tidegate/counting'));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the sabotage runner', () => {
  it('calls a patch caught only if an assertion that cites the promise fails', { timeout: 300_000 }, () => {
    const run = spawnSync(process.execPath, [RUNNER, '--root', root], { encoding: 'utf8' });
    const lines = run.stdout.trim().split('\n');
    const verdictOf = (name: string) => lines.find((line) => line.includes(`(${name}.patch`))?.replace(/ \(.*$/, '');

    expect(verdictOf('1-caught')).toBe('I1: caught');
    expect(verdictOf('2-also-caught')).toBe('I2: caught');
    expect(verdictOf('3-harmless')).toBe('I1: NOT caught, every test stayed green');
    expect(verdictOf('4-crashing')).toContain('I1: NOT caught, red, but no assertion failed: ReferenceError');
    expect(verdictOf('5-unreadable')).toBe('I1: NOT caught, the tests could not be loaded');
    expect(verdictOf('6-beside-the-point')).toBe('I1: NOT caught, every test stayed green');
    expect(verdictOf('7-uncited')).toBe('I9: NOT caught, no test in the named files cites I9');
    expect(verdictOf('8-red-before')).toContain('is failed without the patch');
    expect(verdictOf('9-stale')).toContain('I1: NOT caught, the patch does not apply');
    expect(lines.at(-1)).toBe('2 caught, 7 not caught');
    expect(run.status).toBe(1);
    expect(readFileSync(join(root, COUNT), 'utf8')).toBe(FILES[COUNT]);
  });

  it('succeeds when everything asked for is caught, and not when nothing is there', { timeout: 60_000 }, () => {
    expect(spawnSync(process.execPath, [RUNNER, '--root', root, '--only', 'I2'], { encoding: 'utf8' }).status).toBe(0);
    expect(spawnSync(process.execPath, [RUNNER, '--root', root, '--only', 'I8'], { encoding: 'utf8' }).status).toBe(1);
  });

  it('believes a report of the untouched tree, whatever it says', { timeout: 60_000 }, () => {
    const report = join(root, 'report.json');
    const verdict = (status: string) => {
      const test = { ancestorTitles: [], title: '[I2] counts what it is given', status, failureMessages: [] };
      const file = { name: join(root, 'packages/asking/src/count.test.ts'), assertionResults: [test] };
      writeFileSync(report, JSON.stringify({ testResults: [file] }));
      const run = [RUNNER, '--root', root, '--only', 'I2', '--before', report];
      return spawnSync(process.execPath, run, { encoding: 'utf8' }).stdout.split(' (')[0];
    };
    expect(verdict('passed')).toBe('I2: caught');
    expect(verdict('failed')).toBe('I2: NOT caught, "[I2] counts what it is given" is failed without the patch');
  });
});
