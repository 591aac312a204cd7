import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NotificationService, startNotificationService } from '@tidegate/simulator';
import { claimKeyring } from '@tidegate/store';
import { createKeyring, loadKeyring } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNotifyRoom } from '../../apps/worker/src/notify/notify-room.ts';
import { makeWorkerContext } from '../support/make-worker-context.ts';
import { runCli } from '../support/run-cli.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const fromEnv = (name: string) => `\${${name}}`;
let database: TestDatabase;
let dataDir: string;
let service: NotificationService;
let stop: () => Promise<void>;

beforeAll(async () => {
  database = await createTestDatabase();
  dataDir = await makeTempFolder('notify-commands');
  await createKeyring(join(dataDir, 'keyring'));
  service = await startNotificationService('slack', { path: '/services/invented2345' });
  const url = `${service.url}/services/invented2345`;
  const made = await makeWorkerContext({
    databaseUrl: database.url,
    localtonet: null,
    notify: { channels: [{ name: 'chat', type: 'slack', target: { type: 'slack', url } }] },
  });
  await claimKeyring(made.context.sql, (await loadKeyring(join(dataDir, 'keyring'))).id);
  const room = createNotifyRoom(made.context, { onFree: () => undefined, onFailure: () => undefined });
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(() => room.run());
  }, 100);
  stop = async () => {
    clearInterval(timer);
    await running;
    await room.idle();
    await made.close();
  };
  const channels = {
    chat: { type: 'slack', url: fromEnv('CHAT_URL') },
    idle: { type: 'discord', url: fromEnv('CHAT_URL') },
  };
  const routes = [
    {
      channels: ['chat'],
      severity: ['critical'],
      during: [{ days: ['mon'], from: '09:00', to: '17:30', timeZone: 'Europe/Berlin' }],
    },
  ];
  const services = [
    { name: 'agent', source: 'home', tunnel: '1' },
    { name: 'lab', source: 'home', tunnel: '2', severity: 'info' },
  ];
  await writeFile(
    join(dataDir, 'tidegate.yaml'),
    JSON.stringify({ sources: [{ name: 'home' }], services, notify: { channels, routes } }),
  );
}, 60_000);
afterAll(async () => {
  await stop();
  await service.close();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const cli = (...args: string[]) =>
  runCli(args, {
    DATABASE_URL: database.url,
    TIDEGATE_DATA_DIR: dataDir,
    TIDEGATE_CONFIG: join(dataDir, 'tidegate.yaml'),
    CHAT_URL: 'https://chat.example/invented',
  });

describe('tidegate notify', () => {
  it('test has the worker send a test, and says what became of it', async () => {
    expect(await cli('notify', 'test', 'chat')).toMatchObject({
      code: 0,
      stdout: 'chat took the test (200).\n',
      stderr: '',
    });
    expect(service.taken).toHaveLength(1);
    expect(service.taken[0]?.text).toContain('Test of the channel chat');
    // A test is tried once, for a person waits, and also while the channel is left alone.
    service.failNext({ status: 404 });
    const refused = await cli('notify', 'test', 'chat', '--json');
    expect(refused.code).toBe(1);
    expect(refused.json()).toMatchObject({
      channel: 'chat',
      delivered: false,
      state: 'failed',
      status: 404,
      reason: 'gone',
    });
    expect(refused.stderr).toContain('chat has not taken the test after 1 attempt(s): gone (404).');
  });

  it('test says when no worker takes it up, and when there is no such channel', async () => {
    const idle = await cli('notify', 'test', 'idle', '--wait', '500ms');
    expect(idle.code).toBe(1);
    expect(idle.stderr).toMatch(/^No worker took the test up/);
    const unknown = await cli('notify', 'test', 'caht');
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('there is chat, idle');
  });

  it('list shows how each channel fares and what was told, as lines and as JSON', async () => {
    const listed = await cli('notify', 'list');
    expect(listed.stdout).toMatch(/^chat {14}slack {9}FAILING 1 time\(s\), last: gone; last sent /m);
    expect(listed.stdout).toMatch(/ {2}chat {14}test {10}sent {8}Test of the channel chat$/m);
    const json = (await cli('notify', 'list', '--json', '--channel', 'chat')).json<{
      channels: object[];
      items: object[];
    }>();
    expect(json).toMatchObject({
      channels: [{ name: 'chat', givenUp: 1 }],
      items: [{ state: 'failed' }, { state: 'sent' }],
    });
    expect(JSON.stringify(json)).not.toContain('invented');
    expect((await cli('notify', 'list', '--channel', 'nobody')).stdout).toContain('knows no such channel');
  });

  it('check shows channels and routes, and never where a channel leads', async () => {
    const { stdout } = await cli('check');
    expect(stdout).toContain('  chat  slack\n');
    expect(stdout).toContain('idle  discord  warning: no route names it');
    expect(stdout).toContain('  critical of everything → chat, mon 09:00–17:30 Europe/Berlin\n');
    expect(stdout).toMatch(/ {2}warning: nobody is told of agent \(critical\) at 1\d\d of the 168 hours of a week\n/);
    expect(stdout).toContain('  warning: nobody is told of lab (info)\n');
    expect(stdout).toMatch(/^notify\.retry +attempts 200, baseDelay 5s, maxDelay 5m, maxElapsed 6h$/m);
    const json = await cli('check', '--json');
    expect(json.json()).toMatchObject({
      notify: {
        channels: [
          { name: 'chat', routed: true },
          { name: 'idle', routed: false },
        ],
      },
    });
    expect(stdout + json.stdout).not.toContain('invented');
  });
});
