import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';

const CANARY = 'canary-5d02';
const RUNTIME = new URL('../index.ts', import.meta.url).href;
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;

let folder: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidegate-run-app-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
  }
});

/** Forks a process that runs one app whose `start` has the given body. */
async function startApp(body: string, env: Record<string, string> = {}) {
  const file = join(folder, `app-${children.length}-${Date.now()}.mjs`);
  await writeFile(
    file,
    `import { createServer } from 'node:http';
     import * as runtime from ${JSON.stringify(RUNTIME)};
     await runtime.runApp({ name: 'sample', start: async (context) => { ${body} } });`,
  );
  const child = fork(file, {
    execArgv: ['--import', TSX],
    silent: true,
    env: { PATH: process.env.PATH, ...env },
  });
  children.push(child);
  let stderr = '';
  let stdout = '';
  const messages: unknown[] = [];
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk);
  });
  child.stdout?.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.on('message', (message) => messages.push(message));
  // Not `close`: that never comes once the channel is disconnected.
  const ends = [once(child, 'exit'), ...[child.stdout, child.stderr].map((stream) => stream && once(stream, 'end'))];
  const exited = Promise.all(ends).then(() => child.exitCode);
  const lines = () =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map(parseLine);
  const ready = () => vi.waitFor(() => expect(messages).not.toEqual([]), { timeout: 15_000 });
  return { child, exited, lines, messages, ready, stderr: () => stderr, stdout: () => stdout };
}

const parseLine = (line: string): Record<string, unknown> => JSON.parse(line);

const LISTEN = `
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  context.log.info('app.started', { port: server.address().port });
  return {
    ready: { port: server.address().port },
    close: [
      () => new Promise((resolve) => { console.log('first'); server.close(resolve); server.closeAllConnections(); }),
      async () => { console.log('second', context.stopping.aborted); },
    ],
  };`;

describe('a running app', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(
    'tells its parent that it is ready, and on %s closes in order',
    async (signal) => {
      const app = await startApp(LISTEN);
      await app.ready();
      expect(app.messages).toEqual([{ type: 'ready', app: 'sample', port: expect.any(Number) }]);
      app.child.kill(signal);
      app.child.kill(signal);
      expect(await app.exited).toBe(0);
      expect(app.stdout()).toBe('first\nsecond true\n');
      expect(app.lines().map(({ event }) => event)).toEqual(['app.started', 'app.stopping', 'app.stopped']);
      expect(app.lines()[1]).toMatchObject({ app: 'sample', pid: app.child.pid, signal });
    },
  );

  it('stops when its parent is gone', async () => {
    const app = await startApp(LISTEN);
    await app.ready();
    app.child.disconnect();
    expect(await app.exited).toBe(0);
    expect(app.stdout()).toBe('first\nsecond true\n');
  });

  it('stops when it is told to while it starts', async () => {
    const app = await startApp(`
      process.send({ starting: true });
      await new Promise((resolve) => context.stopping.addEventListener('abort', resolve));
      ${LISTEN}`);
    await app.ready();
    app.child.kill('SIGTERM');
    expect(await app.exited).toBe(0);
    expect(app.stdout()).toContain('second true');
  });

  it('is gone within ten seconds also when a step never ends, and says so', async () => {
    const app = await startApp(`return { ready: {}, close: [() => new Promise(() => setInterval(() => {}, 1000))] };`);
    await app.ready();
    const startedMs = performance.now();
    app.child.kill('SIGTERM');
    expect(await app.exited).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(app.lines()).toContainEqual(expect.objectContaining({ error: { code: 'close_timeout' } }));
  });

  it('stops with exit code 1 when it says that it cannot go on', async () => {
    const app = await startApp(`setTimeout(() => context.stop(1), 50); return { close: [] };`);
    expect(await app.exited).toBe(1);
  });

  it.each([
    [
      'a thrown error',
      `setTimeout(() => { throw Object.assign(new Error('${CANARY}'), { code: 'EPIPE' }); }, 20)`,
      'EPIPE',
    ],
    ['a rejection', `Promise.reject(new Error('${CANARY}'))`, 'unexpected'],
  ])(verifies('I3', 'ends on %s with one line that holds a code only'), async (_, statement, code) => {
    const app = await startApp(`${statement}; return { close: [] };`);
    expect(await app.exited).toBe(1);
    expect(app.lines()).toEqual([expect.objectContaining({ event: 'app.failed', error: { code } })]);
    expect(app.stderr()).not.toContain(CANARY);
    expect(app.stderr()).not.toContain(' at ');
  });
});

describe('an app that cannot start', () => {
  it('prints every config error as file:line: key: message and exits with 2', async () => {
    const file = join(folder, 'bad.yaml');
    await writeFile(file, `sources:\n  - name: lab\n    secret: ${CANARY}\n    watch: ${CANARY}\n`);
    const app = await startApp(`runtime.loadConfig({ file: context.env.configFile, app: 'receiver' });`, {
      TIDEGATE_CONFIG: file,
    });
    expect(await app.exited).toBe(2);
    expect(app.stderr()).toBe(
      `${file}:3: sources[0].secret: must be 16 to 128 letters, digits, "_" or "-"\n` +
        `${file}:4: sources[0].watch: must be one of linked, all\n`,
    );
  });

  it('names a variable it cannot use and exits with 2', async () => {
    const app = await startApp('', { TIDEGATE_PORT: CANARY });
    expect(await app.exited).toBe(2);
    expect(app.stderr()).toBe('TIDEGATE_PORT must be a whole number from 0 to 65535.\n');
  });

  it('says which port is in use', async () => {
    const holder = net.createServer();
    await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
    const { port } = holder.address() as net.AddressInfo;
    const app = await startApp(
      `await runtime.startAdminServer({ ...context, host: context.env.host, port: context.env.adminPort,
         health: () => true, ready: () => true });`,
      { TIDEGATE_ADMIN_PORT: String(port) },
    );
    expect(await app.exited).toBe(1);
    expect(app.stderr()).toBe(`sample: Port ${port} is already in use.\n`);
    holder.close();
  });

  it.each([
    [
      `Object.assign(new Error('${CANARY}'), { code: 'redis_eviction', publicMessage: 'Redis may evict jobs.' })`,
      'Redis may evict jobs.',
    ],
    [`Object.assign(new Error('${CANARY}'), { code: '28P01' })`, 'It stopped on an unexpected failure (28P01).'],
    [`'${CANARY}'`, 'It stopped on an unexpected failure (unexpected).'],
  ])(verifies('I3', 'prints one sentence without message or stack for %s'), async (thrown, sentence) => {
    const app = await startApp(`throw ${thrown};`);
    expect(await app.exited).toBe(1);
    expect(app.stderr()).toBe(`sample: ${sentence}\n`);
  });
});
