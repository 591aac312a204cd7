/*
 * Breaks each promise on purpose and demands that its test notices. Every `*.patch` beside this file is a small unified diff with a header:
 *
 *     # breaks: I5
 *     # test: packages/core/src/record/fold-view.test.ts
 *
 * It is applied to a copy of the tree, never to the tree itself, and the named tests run there. The patch is caught when an assertion fails
 * in a test whose title cites the id; a syntax error, a crash or a timeout is not a proof. The same tests must be green without the patch.
 *
 * node test/sabotage/run.mjs [--root FOLDER] [--only I5] [--before REPORT]
 *
 * REPORT is what a run of the untouched tree wrote (vitest's JSON): its tests need not be run again to know that they were green.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const NOT_COPIED = new Set(['node_modules', 'dist', '.git', '.turbo', '.cache', '.tidegate', 'coverage']);
const RUN_LIMIT_MS = 300_000;
/** Patches tried at a time, each in a copy of its own: one test file keeps about one core busy. */
const LANES = 3;
const FAILED_ASSERTION =
  /AssertionError|Property failed after|Matcher did not succeed|promise (?:resolved|rejected) .* instead of/;

/** Copies the sources and links what pnpm installed: libraries to the original, workspace packages to the copy's own. */
function copyTree(root, target) {
  cpSync(root, target, { recursive: true, filter: (path) => !NOT_COPIED.has(basename(path)) });
  const members = ['apps', 'packages'].filter((folder) => existsSync(join(root, folder)));
  for (const folder of [
    '.',
    ...members.flatMap((parent) => readdirSync(join(root, parent)).map((name) => join(parent, name))),
  ]) {
    linkModules(root, target, join(folder, 'node_modules'));
  }
  // Downloaded servers are kept here; they are only read.
  if (existsSync(join(root, '.cache'))) symlinkSync(join(root, '.cache'), join(target, '.cache'));
}

function linkModules(root, target, folder) {
  if (!existsSync(join(root, folder))) return;
  mkdirSync(join(target, folder), { recursive: true });
  for (const name of readdirSync(join(root, folder))) {
    // Vite and others write their caches here; the copy gets its own.
    if (name === '.vite' || name === '.cache') continue;
    const path = join(root, folder, name);
    if (name.startsWith('@') && lstatSync(path).isDirectory()) linkModules(root, target, join(folder, name));
    else symlinkSync(locateModule(root, target, realpathSync(path)), join(target, folder, name));
  }
}

function locateModule(root, target, real) {
  const inside = relative(root, real);
  const ours = !inside.startsWith('..') && !inside.split(sep).includes('node_modules');
  return ours ? join(target, inside) : real;
}

/**
 * One Postgres for every patch, once the packages are built: a cluster of its own, migrated anew, would be half of what a
 * patch costs. Answers what a run is told of it.
 */
async function startSharedPostgres(root) {
  const built = join(root, 'packages', 'embedded', 'dist', 'index.js');
  if (!existsSync(built)) return { env: {}, stop: async () => undefined };
  const { startEmbeddedPostgres } = await import(pathToFileURL(built).href);
  const dataDir = mkdtempSync(join(realpathSync(tmpdir()), 'sabotage-postgres-'));
  copies.add(dataDir);
  const server = await startEmbeddedPostgres({ dataDir, fsync: false });
  return {
    env: { TIDEGATE_TEST_POSTGRES: server.url },
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
      copies.delete(dataDir);
    },
  };
}

/** Runs the tests that cite one of `ids`, in `folder`; answers every test it saw, or why it could not. `bail` ends at the first red one. */
async function runTests(folder, tests, ids, { bail = false, servers = {} } = {}) {
  const report = join(folder, '.sabotage-report.json');
  const vitest = join(folder, 'node_modules', 'vitest', 'vitest.mjs');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(VITEST|NODE_ENV$|NODE_OPTIONS$|TEST$)/.test(name),
  );
  const env = { ...Object.fromEntries(inherited), ...servers };
  const child = spawn(
    process.execPath,
    [
      ...[vitest, 'run', '--root', folder, '--reporter=json', `--outputFile=${report}`],
      ...(bail ? ['--bail=1'] : []),
      ...['-t', citing(ids), ...tests],
    ],
    {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_LIMIT_MS,
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (output = (output + chunk).slice(-4000)));
  await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  if (!existsSync(report))
    return { problem: `vitest gave no report: ${output.trim().split('\n').at(-1) ?? ''}`, tests: [] };
  const seen = readReport(folder, report);
  rmSync(report);
  return { problem: null, tests: seen };
}

/** Every test of a report, with the path of its file below `folder`. */
function readReport(folder, report) {
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const inFile = (file) =>
    file.assertionResults.map((test) => ({ ...test, path: relative(folder, file.name).split(sep).join('/') }));
  return testResults.flatMap(inFile);
}

/** A pattern for full test names in which one of `ids` is cited. */
function citing(ids) {
  const escaped = ids.map((id) => id.replaceAll('.', '\\.'));
  return `\\[([^\\]]+, )?(${escaped.join('|')})(,[^\\]]+)?\\]`;
}

/** True if the test's title, or a describe around it, begins with `[…, id, …]` as `verifies` writes it. */
function cites(test, id) {
  const titles = [...test.ancestorTitles, test.title];
  return titles.some((title) => /^\[([^\]]+)\]/.exec(title)?.[1]?.split(', ').includes(id));
}

function readPatch(path) {
  const text = readFileSync(path, 'utf8');
  const header = (key) => [...text.matchAll(new RegExp(`^# ${key}: (.+)$`, 'gm'))].map((match) => match[1].trim());
  return { path, name: basename(path), id: header('breaks')[0] ?? '?', tests: header('test') };
}

function applyPatch(patch, folder) {
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(folder) };
  const git = spawnSync('git', ['apply', '--whitespace=nowarn', patch.path], { cwd: folder, env, encoding: 'utf8' });
  return git.status === 0
    ? null
    : `the patch does not apply: ${(git.stderr || String(git.error ?? '')).trim().split('\n')[0]}`;
}

const copies = new Set();
process.on('exit', () => {
  for (const parent of copies) rmSync(parent, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/** Makes a copy of the tree for `work` and removes it afterwards, whatever happens. */
async function inCopy(root, work) {
  const parent = mkdtempSync(join(realpathSync(tmpdir()), 'sabotage-'));
  copies.add(parent);
  try {
    const folder = join(parent, 'tree');
    copyTree(root, folder);
    return await work(folder);
  } finally {
    rmSync(parent, { recursive: true, force: true });
    copies.delete(parent);
  }
}

/** Says why a patch proves nothing on the untouched tree, or null. */
function judgeBefore(patch, before) {
  if (patch.tests.length === 0) return 'the patch names no test';
  const citing = before.tests.filter((test) => patch.tests.includes(test.path) && cites(test, patch.id));
  if (citing.length === 0) return before.problem ?? `no test in the named files cites ${patch.id}`;
  const red = citing.find((test) => test.status !== 'passed');
  return red === undefined ? null : `"${red.title}" is ${red.status} without the patch`;
}

/** Says why the tests did not catch the patch, or null. */
function judgeAfter(patch, after) {
  const red = after.tests.filter((test) => test.status === 'failed');
  const citing = red.filter((test) => cites(test, patch.id));
  if (citing.some((test) => FAILED_ASSERTION.test(test.failureMessages.join('\n')))) return null;
  if (citing.length > 0) return `red, but no assertion failed: ${citing[0].failureMessages[0]?.split('\n')[0] ?? ''}`;
  return after.problem ?? (after.tests.length === 0 ? 'the tests could not be loaded' : 'every test stayed green');
}

async function sabotage(root, patch, before, servers) {
  const unproven = judgeBefore(patch, before);
  if (unproven !== null) return unproven;
  return inCopy(
    root,
    async (folder) =>
      applyPatch(patch, folder) ??
      judgeAfter(patch, await runTests(folder, patch.tests, [patch.id], { bail: true, servers })),
  );
}

/** How the named tests end on the untouched tree: as a report has it, or by running them. */
async function lookBefore(root, named, ids, report) {
  if (named.length === 0) return { problem: null, tests: [] };
  if (report !== undefined && existsSync(report) && statSync(report).size > 0)
    return { problem: null, tests: readReport(root, report) };
  return inCopy(root, (folder) => runTests(folder, named, ids));
}

async function main() {
  const { values } = parseArgs({
    options: { root: { type: 'string' }, only: { type: 'string' }, before: { type: 'string' } },
  });
  const root = realpathSync(values.root ?? fileURLToPath(new URL('../..', import.meta.url)));
  const patches = readdirSync(join(root, 'test', 'sabotage'))
    .filter((name) => name.endsWith('.patch'))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    .map((name) => readPatch(join(root, 'test', 'sabotage', name)))
    .filter((patch) => values.only === undefined || patch.id === values.only);
  const named = [...new Set(patches.flatMap((patch) => patch.tests))];
  const ids = [...new Set(patches.map(({ id }) => id))];
  const before = await lookBefore(root, named, ids, values.before);
  const postgres = await startSharedPostgres(root);
  let missed = 0;
  const waiting = patches.values();
  async function runLane() {
    for (const patch of waiting) {
      const startedMs = Date.now();
      const why = await sabotage(root, patch, before, postgres.env);
      if (why !== null) missed += 1;
      const verdict = why === null ? 'caught' : `NOT caught, ${why}`;
      process.stdout.write(
        `${patch.id}: ${verdict} (${patch.name}, ${((Date.now() - startedMs) / 1000).toFixed(1)} s)\n`,
      );
    }
  }
  await Promise.all(Array.from({ length: LANES }, runLane)).finally(postgres.stop);
  process.stdout.write(`${patches.length - missed} caught, ${missed} not caught\n`);
  if (missed > 0 || patches.length === 0) process.exitCode = 1;
}

await main();
