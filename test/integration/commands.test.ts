import { spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import {
  applySources,
  beatReceiver,
  claimKeyring,
  connect,
  isLiveSecret,
  listSourceSecrets,
  type Sql,
} from '@tidegate/store';
import { createKeyring, loadKeyring, lookupHash } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
let sql: Sql;
let dataDir: string;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  dataDir = await makeTempFolder('commands');
  await createKeyring(join(dataDir, 'keyring'));
  await claimKeyring(sql, (await loadKeyring(join(dataDir, 'keyring'))).id);
  planted = await plantService(sql, 'agent');
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

function cli(...args: string[]): Promise<CliRun> {
  return runCli(args, {
    DATABASE_URL: database.url,
    TIDEGATE_DATA_DIR: dataDir,
    TIDEGATE_CONFIG: join(dataDir, 'none.yaml'),
  });
}

const ONE_SENTENCE = /^[A-Z][^\n]+\.\n$/;
const WHY = ['--reason', 'planned move', '--actor', 'ada'];
const HEAD = { seq: expect.any(Number), mac: expect.stringMatching(/^mac_[0-9a-f]{64}$/) };

describe('every command', () => {
  const commands = [
    ...['hold', 'force-open', 'release', 'list'].map((name) => ['gate', name]),
    ...['list', 'show', 'blips', 'ack', 'note', 'resolve'].map((name) => ['incidents', name]),
    ...['list', 'show', 'cancel', 'redrive'].map((name) => ['callbacks', name]),
    ...['list', 'show', 'approve', 'deny', 'complete'].map((name) => ['review', name]),
    ...['add', 'list', 'end'].map((name) => ['silence', name]),
    ...['test', 'list'].map((name) => ['notify', name]),
    ...['add', 'list', 'rotate', 'remove'].map((name) => ['sources', name]),
    ...['init', 'status', 'rotate', 'rewrap', 'reveal'].map((name) => ['vault', name]),
    ...['list', 'verify', 'head', 'openings'].map((name) => ['audit', name]),
    ...['list', 'show', 'replay'].map((name) => ['quarantine', name]),
    ...['list', 'show', 'rotate', 'retire'].map((name) => ['signing-secrets', name]),
    ...['list', 'retire'].map((name) => ['receivers', name]),
    ['services', 'list'],
    ['doctor', ''],
    ['check', ''],
  ];

  it('incidents blips lists what healed in time, as JSON or as lines', async () => {
    await sql`insert into blip (group_id, first_at, last_at, count, recorded_at)
              values (${planted.tunnelId}, now() - interval '4 seconds', now() - interval '2 seconds', 2, now())`;
    const { stdout } = await cli('incidents', 'blips', '--json', '--service', 'agent', '--since', '1h');
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ services: ['agent'], count: 2 }], nextCursor: null });
    expect((await cli('incidents', 'blips')).stdout).toMatch(/ 2 observations in 2\.0 s {2}agent\n$/);
    expect((await cli('incidents', 'blips', '--service', 'nobody')).stdout).toBe('No blips.\n');
    await sql`delete from blip`;
  });

  it.each(commands)('%s %s explains itself with an example, and knows --json', async (room, name) => {
    const words = [room ?? '', name ?? ''].filter((word) => word !== '');
    const help = await cli(...words, '--help');
    expect(help.code).toBe(0);
    expect(help.stdout).toContain(`Example:\n  `);
    expect(help.stdout).toContain(['tidegate', ...words].join(' '));
    expect(help.stdout).toContain('--json');
  });

  it('ends quietly, with its own exit code, when whoever reads has read enough', () => {
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const main = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
    // The reader has gone long before a word is said.
    const script = '{ "$@"; echo "ended with $?" >&2; } | true';
    const node = [process.execPath, '--conditions=source', '--import', tsx, main];
    const { stderr } = spawnSync('sh', ['-c', script, 'sh', ...node, '--help'], { encoding: 'utf8' });
    expect(stderr).toBe('ended with 0\n');
  });

  it('answers a slip of the pen with exit code 2 and one clear line', async () => {
    const slips = [
      ['gate', 'hold', 'agent'],
      ['gate', 'hold', 'agent', '--reason', 'x', '--for', 'soon'],
      ['gate', 'hold', 'agent', '--reason', ' \u202e ', '--for', '2h'],
      ['gate', 'open', 'agent'],
      ['incidents', 'resolve', 'inc_x', '--override'],
      ['incidents', 'resolve', 'inc_x', '--reason', 'x'],
      ['callbacks', 'list', '--state', 'lost'],
      ['callbacks', 'cancel', 'cb_x'],
      ['callbacks', 'redrive', 'cb_x', '--reason', ' '],
      ['review', 'deny', 'cb_x'],
      ['review', 'approve', 'cb_x', '--reason', 'x'],
      ['review', 'approve', 'cb_x', '--reason', 'x', '--payload-hash', 'abc'],
      ['review', 'approve', 'cb_x', '--reason', 'x', '--payload-hash', 'a'.repeat(64), '--for', '0s'],
      ['silence', 'add', '--reason', 'x', '--for', '2h'],
      ['silence', 'add', '--all', '--service', 'agent', '--reason', 'x', '--for', '2h'],
      ['sources', 'add', 'no spaces'],
      ['sources', 'add', 'x', '--time-zone', 'Mars/Olympus'],
      ['audit', 'verify', '--head', '3'],
      ['audit', 'verify', '--head', `0:mac_${'0'.repeat(64)}`],
      ['vault', 'reveal', 'dev_x'],
      ['quarantine', 'show', 'qua_x'],
      ['receivers', 'retire', 'rcv_x'],
      ['completions', 'csh'],
      ['services', 'list', '--source', 'no spaces'],
      ['incidents', 'list', '--kind', 'odd'],
      ['receivers', 'retire', 'rcv\u001b[2J', '--reason', 'x'],
    ];
    for (const args of slips) {
      const run = await cli(...args);
      expect([args.join(' '), run.code]).toEqual([args.join(' '), 2]);
      expect(run.stdout).toBe('');
      expect(run.stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
    }
  });

  it('says so in one sentence when there is no database, no keyring, or another one', async () => {
    const lost = await runCli(['gate', 'list'], { TIDEGATE_DATA_DIR: join(dataDir, 'nowhere') });
    expect([lost.code, lost.stderr]).toEqual([1, expect.stringMatching(/^No database runs for /)]);
    const empty = await runCli(['gate', 'list'], {
      DATABASE_URL: database.url,
      TIDEGATE_DATA_DIR: join(dataDir, 'nowhere'),
    });
    expect([empty.code, empty.stderr]).toEqual([1, expect.stringMatching(/holds no keyring yet/)]);
    const other = join(dataDir, 'other');
    await mkdir(other);
    await createKeyring(join(other, 'keyring'));
    for (const command of [
      ['vault', 'status'],
      ['vault', 'rotate', '--reason', 'x'],
      ['vault', 'rewrap'],
    ]) {
      const wrong = await runCli(command, { DATABASE_URL: database.url, TIDEGATE_DATA_DIR: other });
      expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/belongs to another keyring/)]);
    }
    const gone = await runCli(['gate', 'list'], {
      DATABASE_URL: 'postgres://nobody:invented@127.0.0.1:1/none',
      TIDEGATE_DATA_DIR: dataDir,
    });
    expect([gone.code, gone.stderr]).toEqual([1, 'tidegate: The database cannot be reached.\n']);
  });
});

describe('what goes wrong, with --json', () => {
  it('is one line of JSON on stderr, with the exit code that it has anyway', async () => {
    const file = join(dataDir, 'flawed.yaml');
    await writeFile(file, 'sources:\n  - { name: home-lab, wach: all }\n');
    for (const [args, complaint] of [
      [['incidents', 'show', 'inc_none', '--json'], { title: 'There is no incident of this id.', exitCode: 1 }],
      [
        ['gate', 'hold', 'agent', '--json'],
        { title: expect.stringMatching(/^required option '--reason/), exitCode: 2 },
      ],
      [['gate', 'hodl', '--json'], { title: expect.stringMatching(/^unknown (command|option)/), exitCode: 2 }],
      [
        ['check', '--json', '--config', file],
        {
          title: expect.any(String),
          exitCode: 2,
          errors: [expect.objectContaining({ line: 2, key: 'sources[0].wach' })],
        },
      ],
    ] as const) {
      const { code, stdout, stderr } = await cli(...args);
      expect([stdout, stderr.split('\n').length]).toEqual(['', 2]);
      expect(JSON.parse(stderr)).toEqual(complaint);
      expect(code).toBe(complaint.exitCode);
    }
    const text = await cli('incidents', 'show', 'inc_none');
    expect(text.stderr).toBe('There is no incident of this id.\n');
  });
});

describe('what is printed', () => {
  it('plays no tricks with a terminal, wherever it comes from', async () => {
    await sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_z', 'tunnel', ${planted.tunnelId}, now(), ${'Down.\u001b[2J\u009b31m'})`;
    for (const args of [
      ['incidents', 'list'],
      ['incidents', 'show', 'inc_z'],
      ['incidents', 'list', '--json'],
    ]) {
      const { stdout } = await cli(...args);
      expect(stdout).toContain('Down.\\u001b[2J\\u009b31m');
      expect([stdout.includes('\u001b'), stdout.includes('\u009b')]).toEqual([false, false]);
    }
    await sql`delete from incident where id = 'inc_z'`;
  });
});

describe('tidegate gate', () => {
  it('holds, forces open, shows whose hand it is, and takes it back', async () => {
    const held = await cli('gate', 'hold', 'agent', ...WHY, '--for', '2h', '--json');
    expect(held.code).toBe(0);
    expect(held.json()).toEqual({
      service: 'agent',
      state: 'held',
      generation: expect.any(Number),
      expiresAt: expect.any(String),
      audit: HEAD,
    });
    const opened = await cli('gate', 'force-open', 'agent', ...WHY, '--for', '15m');
    expect(opened.stdout).toMatch(/^The gate of agent is forced open until .+\nAudit row \d+:mac_[0-9a-f]{64}\n$/);
    const list = await cli('gate', 'list');
    expect(list.stdout).toContain('FORCED OPEN by ada until ');
    expect((await cli('gate', 'list', '--json')).json()).toMatchObject({
      items: [{ service: 'agent', state: 'open', hand: { kind: 'open', actor: 'ada', reason: 'planned move' } }],
    });
    expect((await cli('gate', 'release', 'agent')).code).toBe(0);
    const again = await cli('gate', 'release', 'agent');
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(ONE_SENTENCE)]);
    expect((await cli('gate', 'hold', 'nobody', ...WHY, '--for', '2h')).code).toBe(1);
  });

  it('names the user of this machine unless told otherwise', async () => {
    await cli('gate', 'hold', 'agent', '--reason', 'x', '--for', '2h');
    const { items } = (await cli('audit', 'list', '--limit', '1', '--json')).json<{ items: { actor: string }[] }>();
    expect(items[0]?.actor).toMatch(/^cli:.+/);
    await cli('gate', 'release', 'agent');
  });
});

describe('tidegate incidents', () => {
  it('shows, acknowledges, notes and ends an incident', async () => {
    await deliver(sql, planted, { status: 'disconnected' });
    await sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_a', 'tunnel', ${planted.tunnelId}, now(), 'Tunnel is down.')`;
    await sql`insert into incident_subject values ('inc_a', ${planted.tunnelId}, 'tunnel_down', now())`;
    await sql`insert into incident_service values ('inc_a', ${planted.serviceId})`;
    expect((await cli('incidents', 'list', '--state', 'open')).stdout).toContain('inc_a');
    expect((await cli('incidents', 'ack', 'inc_a', '--actor', 'ada', '--json')).json()).toEqual({
      id: 'inc_a',
      state: 'acknowledged',
      audit: HEAD,
    });
    const again = await cli('incidents', 'ack', 'inc_a');
    expect([again.code, again.stderr]).toEqual([1, 'It was acknowledged before, by ada.\n']);
    expect((await cli('incidents', 'note', 'inc_a', 'the router was unplugged', '--actor', 'ada')).code).toBe(0);
    await sql`
      insert into verification (id, service_id, generation, started_at, finished_at, verdict, first_broken, runbook, passed, passes, overtaken)
      select 'ver_a', ${planted.serviceId}, 1, opened_at, opened_at, 'tunnel_stopped', 'tunnel', 'Start the tunnel.', false, 0, false
      from incident where id = 'inc_a'`;
    await sql`insert into verification_layer (verification_id, layer, outcome, reason, detail) values
      ('ver_a', 'tunnel', 'fail', 'tunnel_stopped', 'The tunnel is stopped.'), ('ver_a', 'device', 'pass', 'ok', 'It is online.')`;
    const shown = await cli('incidents', 'show', 'inc_a');
    expect(shown.stdout).toMatch(
      /\nnext step: Start the tunnel\.\n\nlast verification of agent, begun \S+Z: the tunnel is stopped\nLAYER +OUTCOME +DETAIL\n/,
    );
    expect(shown.stdout).toContain('\ndevice  pass     It is online.\ntunnel  fail     The tunnel is stopped.\n\n');
    const refused = await cli('incidents', 'resolve', 'inc_a');
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/^It is still disconnected: /)]);
    const ended = await cli('incidents', 'resolve', 'inc_a', '--override', ...WHY, '--for', '72h');
    expect(ended.stdout).toMatch(/^Resolved inc_a by override\. /);
    const over = (await cli('incidents', 'show', 'inc_a')).stdout;
    expect(over).not.toContain('next step');
    expect(over).toContain('Note by ada: the router was unplugged');
    expect(over).toContain('Ended by hand by ada, without a verification: planned move');
    for (const args of [
      ['show', 'inc_nobody'],
      ['ack', 'inc_nobody'],
      ['note', 'inc_nobody', 'x'],
      ['resolve', 'inc_nobody'],
    ]) {
      expect(await cli('incidents', ...args)).toMatchObject({ code: 1, stderr: 'There is no incident of this id.\n' });
    }
  });
});

describe('tidegate silence', () => {
  it('adds, lists and ends', async () => {
    const added = await cli('silence', 'add', '--service', 'agent', ...WHY, '--for', '2h', '--json');
    const { silence } = added.json<{ silence: { id: string; live: boolean } }>();
    expect(silence).toMatchObject({ id: expect.stringMatching(/^sil_[a-z2-7]+$/), live: true });
    expect((await cli('silence', 'list')).stdout).toContain('service agent  by ada: planned move');
    expect((await cli('silence', 'end', silence.id)).code).toBe(0);
    expect((await cli('silence', 'end', silence.id)).code).toBe(1);
    expect((await cli('silence', 'list')).stdout).toBe('Nothing is silenced.\n');
    expect((await cli('silence', 'list', '--ended', '--json')).json<{ items: unknown[] }>().items).toHaveLength(1);
    expect((await cli('silence', 'add', '--group', 'dev_nobody', ...WHY, '--for', '2h')).code).toBe(1);
  });
});

describe('tidegate sources', () => {
  it('adds one, shows its URL once, rotates and removes it', async () => {
    const added = await cli('sources', 'add', 'office', '--group', 'home-lab', '--json');
    const { webhookUrl } = added.json<{ webhookUrl: string }>();
    expect(webhookUrl).toMatch(/^https:\/\/<your receiver>\/hooks\/localtonet\/[A-Za-z0-9_-]{16,}$/);
    const rotated = await cli('sources', 'rotate', 'office', '--json');
    expect(rotated.json<{ webhookUrl: string }>().webhookUrl).not.toBe(webhookUrl);
    const list = await cli('sources', 'list');
    expect(list.stdout).toContain('office  (group home-lab, UTC, watch linked; added by hand)');
    expect(list.stdout).toContain('2 live: a rotation is under way');
    const secrets = [webhookUrl, rotated.json<{ webhookUrl: string }>().webhookUrl].map(
      (url) => url.split('/').at(-1) ?? '?',
    );
    for (const secret of secrets)
      expect(list.stdout + (await cli('sources', 'list', '--json')).stdout).not.toContain(secret);
    const underWay = await cli('sources', 'rotate', 'office');
    expect([underWay.code, underWay.stderr]).toEqual([1, expect.stringMatching(/with --cancel if its URL was lost/)]);
    expect((await cli('sources', 'rotate', 'office', '--finish', '--cancel')).code).toBe(2);
    expect((await cli('sources', 'rotate', 'office', '--cancel')).code).toBe(0);
    expect((await cli('sources', 'rotate', 'office', '--cancel')).code).toBe(1);
    const keyring = await loadKeyring(join(dataDir, 'keyring'));
    const live = secrets.map((secret) => isLiveSecret(sql, 'office', lookupHash(keyring, 'source-secret', secret)));
    expect(await Promise.all(live)).toEqual([true, false]);
    expect((await cli('sources', 'rotate', 'office')).code).toBe(0);
    expect((await cli('sources', 'rotate', 'office', '--finish')).code).toBe(0);
    expect((await cli('sources', 'rotate', 'office', '--finish')).code).toBe(1);
    expect((await cli('sources', 'remove', 'office')).code).toBe(0);
    expect((await cli('sources', 'remove', 'office')).code).toBe(1);
    const configured = await cli('sources', 'remove', 'src-agent');
    expect([configured.code, configured.stderr]).toEqual([1, expect.stringMatching(/defined by the config/)]);
  });
});

describe('tidegate keys', () => {
  const create = (...more: string[]) => cli('keys', 'create', '--name', 'probe', '--scopes', 'gate:read', ...more);

  it('takes a life in days or hours, and refuses one that is over at once', async () => {
    for (const [life, days] of [
      ['90d', 90],
      ['12h', 0.5],
    ] as const) {
      expect((await create('--expires-in', life)).code).toBe(0);
      const { items } = (await cli('keys', 'list', '--json')).json<{ items: { expiresAt: string }[] }>();
      expect((Date.parse(items[0]?.expiresAt ?? '') - Date.now()) / 86_400_000).toBeCloseTo(days, 2);
    }
    expect((await cli('keys', 'list')).stdout).toMatch(
      /^ID +STATE +NAME +EXPIRES +SERVICES +SCOPES\nkey_\w+ +live +probe +\d{4}-\S+Z +all +gate:read\n/,
    );
    for (const life of ['0s', '0d', 'soon']) expect((await create('--expires-in', life)).code).toBe(2);
  });

  it('makes no key for a service that there is not, or for none', async () => {
    const before = (await cli('keys', 'list')).stdout;
    const refused = await create('--services', 'agent,nope');
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^There is no service nope: /),
    ]);
    expect((await create('--services', ' , ')).code).toBe(2);
    expect((await cli('keys', 'list')).stdout).toBe(before);
    expect((await create('--services', 'agent')).code).toBe(0);
  });

  it('keeps a name that cannot play with a terminal', async () => {
    const args = ['keys', 'create', '--name', '\u001b[2Jmira\u202e', '--scopes', 'gate:read', '--json'];
    expect((await cli(...args)).code).toBe(0);
    const { items } = (await cli('keys', 'list', '--json')).json<{ items: { name: string }[] }>();
    expect(items[0]?.name).toBe('mira');
  });

  it('tells the trail who made and revoked a key, and never the key', async () => {
    const { id, key } = (await cli('keys', 'create', '--name', 'probe', '--scopes', 'gate:read', '--json')).json<{
      id: string;
      key: string;
    }>();
    expect((await cli('keys', 'revoke', id)).code).toBe(0);
    expect((await cli('keys', 'revoke', id)).code).toBe(1);
    const list = await cli('audit', 'list', '--limit', '2', '--json');
    expect(list.json()).toMatchObject({
      items: [
        { action: 'key.revoke', target: id },
        { action: 'key.create', target: id, facts: { name: 'probe', scopes: 'gate:read' } },
      ],
    });
    expect(list.stdout).not.toContain(key);
  });
});

describe('tidegate sources rotate, of a source whose secret was made for the config', () => {
  it('puts the second secret into its file, and the first ends with --finish', async () => {
    const keyring = await loadKeyring(join(dataDir, 'keyring'));
    const file = join(dataDir, 'source-secret-src-agent');
    const configured = (secret: string) => [
      {
        name: 'src-agent',
        group: 'g-agent',
        timeZone: 'UTC',
        watch: 'linked' as const,
        secretHash: lookupHash(keyring, 'source-secret', secret),
      },
    ];
    await writeFile(file, 'invented-first-secret\n');
    await applySources(sql, configured('invented-first-secret'));
    const ready = join(dataDir, 'ready.json');
    const urlOf = (name: string, secret: string) => ({
      name,
      webhookUrl: `http://127.0.0.1:7411/hooks/localtonet/${secret}`,
    });
    const others = { receiverUrl: 'http://127.0.0.1:7411', adminKey: 'invented' };
    const sources = [urlOf('src-agent', 'invented-first-secret'), urlOf('other', 'invented-other-secret')];
    await writeFile(ready, JSON.stringify({ ...others, sources }), { mode: 0o600 });
    const { webhookUrl } = (await cli('sources', 'rotate', 'src-agent', '--json')).json<{ webhookUrl: string }>();
    const second = webhookUrl.split('/').at(-1) ?? '';
    expect((await readFile(file, 'utf8')).trim()).toBe(second);
    expect(JSON.parse(await readFile(ready, 'utf8'))).toEqual({
      ...others,
      sources: [urlOf('src-agent', second), urlOf('other', 'invented-other-secret')],
    });
    expect((await stat(ready)).mode & 0o077).toBe(0);
    await rm(ready);
    const kept = await cli('sources', 'rotate', 'src-agent', '--cancel');
    expect([kept.code, kept.stderr]).toEqual([
      1,
      expect.stringMatching(/in its file in the data folder: it is not lost/),
    ]);
    await applySources(sql, configured(second));
    const live = async () => (await listSourceSecrets(sql)).filter(({ name }) => name === 'src-agent').length;
    expect(await live()).toBe(2);
    expect((await cli('sources', 'rotate', 'src-agent', '--finish')).code).toBe(0);
    await applySources(sql, configured(second));
    expect(await live()).toBe(1);
    expect(await isLiveSecret(sql, 'src-agent', lookupHash(keyring, 'source-secret', second))).toBe(true);
  });
});

describe('tidegate audit', () => {
  it('lists, exports the head, and proves the trail up to it', async () => {
    const head = (await cli('audit', 'head')).stdout.trim();
    expect(head).toMatch(/^\d+:mac_[0-9a-f]{64}$/);
    expect((await cli('audit', 'verify', '--head', head)).code).toBe(0);
    await cli('gate', 'hold', 'agent', ...WHY, '--for', '2h');
    await cli('gate', 'release', 'agent');
    expect((await cli('audit', 'verify', '--head', head, '--json')).json()).toMatchObject({ intact: true, head: HEAD });
    await sql`alter table audit disable trigger user`;
    const [last] = await sql`delete from audit where seq > ${Number(head.split(':')[0]) - 1} returning seq`;
    const cut = await cli('audit', 'verify', '--head', head);
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringMatching(/the trail ends before the head/)]);
    expect((await cli('audit', 'verify')).code).toBe(0);
    await sql`update audit set actor = 'eve' where seq = 1`;
    const changed = await cli('audit', 'verify', '--json');
    expect([changed.code, changed.json()]).toEqual([1, { intact: false, seq: 1, flaw: 'changed' }]);
    await sql`delete from audit`;
    await sql`alter table audit enable trigger user`;
    expect(last).toBeDefined();
    expect((await cli('audit', 'head')).code).toBe(1);
    expect((await cli('audit', 'list')).stdout).toBe('The audit trail is empty.\n');
  });
});

describe('tidegate receivers', () => {
  it('shows who is silent, beside the gates too, and stops waiting for one', async () => {
    expect((await cli('receivers', 'list')).stdout).toBe('No receiver has ever been heard.\n');
    await beatReceiver(sql, 'rcv_one');
    expect((await cli('receivers', 'list')).stdout).toMatch(/^rcv_one +heard +last heard \S+\n$/);
    await beatReceiver(sql, 'rcv_one');
    const heard = await cli('receivers', 'retire', 'rcv_one', ...WHY);
    expect([heard.code, heard.stderr]).toEqual([1, expect.stringMatching(ONE_SENTENCE)]);
    expect(await sql`select 1 from receiver where retired_at is not null`).toHaveLength(0);
    await sql`update receiver set heartbeat_at = clock_timestamp() - interval '6 seconds'`;
    expect((await cli('receivers', 'list')).stdout).toMatch(
      /^rcv_one +SILENT +last heard \S+\nWhile a receiver is SILENT /,
    );
    expect((await cli('receivers', 'list', '--json')).json()).toMatchObject({
      items: [{ id: 'rcv_one', silent: true }],
    });
    expect((await cli('gate', 'list')).stdout).toContain('is held: receiver rcv_one is silent');
    expect((await cli('gate', 'list', '--json')).json()).toMatchObject({ silentReceivers: ['rcv_one'] });
    const retired = await cli('receivers', 'retire', 'rcv_one', ...WHY, '--json');
    expect(retired.json()).toEqual({ receiver: 'rcv_one', retired: true, audit: HEAD });
    expect((await cli('receivers', 'list')).stdout).toContain('by ada');
    expect((await cli('gate', 'list')).stdout).not.toContain('silent (');
    const again = await cli('receivers', 'retire', 'rcv_one', ...WHY);
    expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(ONE_SENTENCE)]);
  });
});

describe('tidegate check', () => {
  it('warns of a service whose gate would open while its tunnel is down', async () => {
    const file = join(dataDir, 'checked.yaml');
    const config = (section: string, opened = '') => `sources:
  - { name: home-lab }
outbound: { probes: { allowPrivate: [${opened}] } }
${section}services:
  - { name: agent, source: home-lab, tunnel: "298487", probes: { liveness: { url: http://127.0.0.1:9000/livez } } }
`;
    await writeFile(file, config(''));
    expect((await cli('check', '--config', file)).stdout).toContain('warning    Only the agent itself is probed');
    const localtonet = 'localtonet: { apiKey: invented }\n';
    await writeFile(file, config(localtonet));
    const refused = await cli('check', '--config', file);
    expect(refused.stdout).toContain(
      'warning    Its liveness probe is refused, since 127.0.0.1 is private (loopback): name it under outbound.probes.allowPrivate, as "127.0.0.1/32:9000".',
    );
    await writeFile(file, config(localtonet, '"127.0.0.1/32:9000"'));
    const seen = await cli('check', '--config', file);
    expect(seen.code).toBe(0);
    expect(seen.stdout).not.toContain('warning');
    expect(seen.stdout).toContain('re-check 2m');
  });
});
