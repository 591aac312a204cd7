import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fingerprintBuild, fingerprintInstall, listWorkspaces } from './fingerprint.mjs';
import { withLock } from './lock.mjs';
import { CACHE, ROOT } from './paths.mjs';
import { ensureRedis } from './redis.mjs';
import { requireNode } from './require-node.mjs';
import { runTool, say } from './run-tool.mjs';

/** Corepack and other pnpm versions fail on some machines, so this one comes through npx, which npm always brings. */
const PNPM = ['-y', '--prefer-offline', 'pnpm@12.4.2'];
const STAMPS = join(CACHE, 'setup');

/**
 * Makes the clone ready to run: packages installed, everything built; with `dev` also the Redis that tests use. What is already
 * there and unchanged is left alone (about 0.1 s). Safe while another process prepares the same clone. Throws SetupError.
 */
export async function prepare({ dev }) {
  requireNode();
  if (!isBuilt()) {
    await withLock(
      join(CACHE, 'setup.lock'),
      async () => {
        if (!isInstalled()) await install();
        if (!isBuilt()) await build();
      },
      () => say('waiting for another process that sets up this clone'),
    );
  }
  // Without one, only the tests that need it fail.
  if (dev) await ensureRedis(say).catch((error) => say(error.message));
}

function isInstalled() {
  const complete = ['', ...listWorkspaces()].every(hasItsPackages);
  return complete && readStamp('install') === fingerprintInstall();
}

function hasItsPackages(folder) {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(
    readFileSync(join(ROOT, folder, 'package.json'), 'utf8'),
  );
  const needsSome = Object.keys({ ...dependencies, ...devDependencies }).length > 0;
  return !needsSome || existsSync(join(ROOT, folder, 'node_modules'));
}

function isBuilt() {
  const complete = listWorkspaces().every((folder) => existsSync(join(ROOT, folder, 'dist')));
  return complete && isInstalled() && readStamp('build') === fingerprintBuild();
}

async function install() {
  await rm(join(STAMPS, 'install'), { force: true });
  const step = { doing: 'installing packages (the first time takes up to a minute)', done: 'packages installed' };
  await runTool(step, 'npx', [...PNPM, 'install', '--frozen-lockfile'], { cwd: ROOT, env: toolEnvironment() });
  await writeStamp('install', fingerprintInstall());
}

async function build() {
  await rm(join(STAMPS, 'build'), { force: true });
  const fingerprint = fingerprintBuild();
  const command = [...PNPM, 'exec', 'turbo', 'run', 'build', '--output-logs=errors-only'];
  await runTool({ doing: 'building', done: 'built' }, 'npx', command, { cwd: ROOT, env: toolEnvironment() });
  await writeStamp('build', fingerprint);
}

function readStamp(name) {
  return existsSync(join(STAMPS, name)) ? readFileSync(join(STAMPS, name), 'utf8') : null;
}

async function writeStamp(name, text) {
  await mkdir(STAMPS, { recursive: true });
  await writeFile(join(STAMPS, name), text);
}

/** Our environment without what npm set for this script, and with a home of its own where the real one cannot be written. */
function toolEnvironment() {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^npm_(lifecycle|package|command|execpath|node_execpath)/.test(name) && name !== 'NODE_ENV',
  );
  const environment = { ...Object.fromEntries(kept), CI: 'true', TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' };
  if (isWritable(homedir())) return environment;
  const home = join(CACHE, 'home');
  return { ...environment, HOME: home, npm_config_cache: join(home, '.npm') };
}

function isWritable(folder) {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
