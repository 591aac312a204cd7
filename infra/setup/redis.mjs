import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLock } from './lock.mjs';
import { CACHE } from './paths.mjs';

const run = promisify(execFile);
const UNPACKED = join(CACHE, 'redis');

/** Debian and Ubuntu split one Redis server into these; redis-tools holds the program itself. */
const PACKAGES = [
  'redis-server',
  'redis-tools',
  'libjemalloc2',
  'liblzf1',
  'liblua5.1-0',
  'lua-cjson',
  'lua-bitop',
  'libatomic1',
];

/**
 * Finds a redis-server for tests: on PATH, else unpacked (not installed) from the system's own package source into .cache,
 * with any user. Gives {command, libraryPath}; throws one sentence when there is none to be had.
 */
export async function ensureRedis(say = () => {}) {
  const onPath = findOnPath('redis-server');
  if (onPath) return { command: onPath, libraryPath: null };
  return findUnpacked() ?? withLock(`${UNPACKED}.lock`, async () => findUnpacked() ?? fetchRedis(say));
}

export function findOnPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this folder.
    }
  }
  return null;
}

function findUnpacked() {
  return existsSync(UNPACKED) ? describe(UNPACKED) : null;
}

function describe(folder) {
  const libraries = join(folder, 'usr', 'lib');
  const triplets = existsSync(libraries) ? readdirSync(libraries).filter((name) => name.includes('-linux-')) : [];
  const libraryPath = triplets.map((name) => join(libraries, name)).join(':');
  return { command: join(folder, 'usr', 'bin', 'redis-server'), libraryPath };
}

async function fetchRedis(say) {
  if (!findOnPath('apt-get') || !findOnPath('dpkg')) {
    throw new Error('The tests need a redis-server on PATH; install Redis 7 or newer with your package manager.');
  }
  say('fetching a Redis for the tests');
  const draft = `${UNPACKED}.${process.pid}.tmp`;
  const apt = `${UNPACKED}.apt`;
  try {
    await mkdir(draft, { recursive: true });
    await download(draft, apt);
    for (const name of readdirSync(draft)) {
      if (name.endsWith('.deb')) await run('dpkg', ['-x', join(draft, name), draft]);
    }
    const { command, libraryPath } = describe(draft);
    await run(command, ['--version'], { env: { ...process.env, LD_LIBRARY_PATH: libraryPath } });
    for (const name of readdirSync(draft)) if (name.endsWith('.deb')) await rm(join(draft, name));
    await rename(draft, UNPACKED);
    return describe(UNPACKED);
  } catch (error) {
    const why = String(error.stderr || error.message)
      .trim()
      .split('\n')
      .at(-1);
    throw new Error(`No Redis for the tests could be fetched (${why}); install a redis-server on PATH.`);
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(apt, { recursive: true, force: true });
  }
}

/** The system's package lists may be missing, old, or not ours to renew: then lists of our own are fetched. */
async function download(folder, apt) {
  const asUs = ['-q', '-o', 'APT::Sandbox::User=root', '-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20'];
  try {
    await run('apt-get', [...asUs, 'download', ...PACKAGES], { cwd: folder });
    return;
  } catch {
    for (const name of readdirSync(folder)) await rm(join(folder, name), { recursive: true });
  }
  await mkdir(join(apt, 'state', 'lists', 'partial'), { recursive: true });
  await mkdir(join(apt, 'cache', 'archives', 'partial'), { recursive: true });
  await writeFile(join(apt, 'status'), '');
  const own = [
    ...asUs,
    '-o',
    `Dir::State=${apt}/state`,
    '-o',
    `Dir::State::status=${apt}/status`,
    '-o',
    `Dir::Cache=${apt}/cache`,
  ];
  // One source of several may be out of reach; whether the packages came decides.
  await run('apt-get', [...own, '-o', 'Acquire::Languages=none', 'update']).catch(() => {});
  await run('apt-get', [...own, 'download', ...PACKAGES], { cwd: folder });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureRedis((line) => console.error(`tidegate: ${line}`)).then(
    (redis) => console.log(JSON.stringify(redis)),
    (error) => {
      console.error(error.message);
      process.exitCode = 1;
    },
  );
}
