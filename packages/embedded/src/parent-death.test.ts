import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readProcessStart } from './process-identity.ts';
import { startEmbeddedPostgres } from './start-embedded-postgres.ts';
import { waitUntil } from './wait-until.ts';
import { watchParent } from './watch-parent.ts';

let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tidegate-orphan-'));
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const isGone = (pid: number): boolean => readProcessStart(pid) === null;

/** Runs code in a Node process of its own, which says one word when it is where the test wants it. */
async function startParent(code: string): Promise<{ parent: ChildProcess; word: string }> {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const parent = spawn(process.execPath, ['--import', tsx, '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const word = await new Promise<string>((resolve, reject) => {
    parent.stdout.once('data', (said: Buffer) => resolve(said.toString('utf8').trim()));
    parent.once('exit', () => reject(new Error('the parent ended before it said a word')));
  });
  return { parent, word };
}

function startServerIn(options: string): Promise<{ parent: ChildProcess; word: string }> {
  const module = new URL('./index.ts', import.meta.url).href;
  return startParent(`
    const { startEmbeddedPostgres } = await import(${JSON.stringify(module)});
    const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, ${options} });
    console.log(server.pid);
    setInterval(() => {}, 1000);
  `);
}

async function killHard(parent: ChildProcess): Promise<void> {
  parent.kill('SIGKILL');
  await once(parent, 'exit');
}

describe('when the parent is killed with SIGKILL', () => {
  it('while making the cluster, the next start makes a whole one; later, the server ends by itself, and a second parent was refused meanwhile', async () => {
    const unfinished = join(dataDir, 'cluster-0123456789ab.tmp');
    await mkdir(join(unfinished, 'base'), { recursive: true });
    await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
    const { parent, word } = await startServerIn('');
    expect((await readdir(dataDir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({
      code: 'data_folder_in_use',
      publicMessage: expect.stringContaining(`process ${parent.pid})`),
    });
    await killHard(parent);
    expect(await waitUntil(() => isGone(Number(word)), 5_000)).toBe(true);
  });

  it('a server that could not notice is stopped by the next start, which then serves', async () => {
    const { parent, word } = await startServerIn('superviseParent: false');
    // Should this test itself be killed, nothing else would end that server.
    const watch = watchParent(Number(word));
    await killHard(parent);
    expect(isGone(Number(word))).toBe(false);
    const server = await startEmbeddedPostgres({ dataDir });
    watch.stop();
    expect(isGone(Number(word))).toBe(true);
    const sql = postgres(server.url, { max: 1 });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    await sql.end();
    await server.stop();
  });

  it('a shell that holds our pipe ends the server where the kernel cannot', async () => {
    const module = new URL('./watch-parent.ts', import.meta.url).href;
    const { parent, word } = await startParent(`
      const { spawn } = await import('node:child_process');
      const { watchParent } = await import(${JSON.stringify(module)});
      const sleeper = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
      watchParent(sleeper.pid);
      console.log(sleeper.pid);
      setInterval(() => {}, 1000);
    `);
    await killHard(parent);
    expect(await waitUntil(() => isGone(Number(word)), 5_000)).toBe(true);
  });

  it('the watch itself goes when it is no longer needed', async () => {
    const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' });
    watchParent(sleeper.pid ?? 0).stop();
    expect(isGone(sleeper.pid ?? 0)).toBe(false);
    sleeper.kill('SIGKILL');
    await once(sleeper, 'exit');
  });
});
