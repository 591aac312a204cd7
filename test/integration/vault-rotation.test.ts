import { randomBytes } from 'node:crypto';
import { readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { createQueue, type Queue } from '@tidegate/queue';
import { beatReceiver, claimKeyring, connect, findStoredSubject, loadDataKey, type Sql } from '@tidegate/store';
import { createKeyring, loadKeyring } from '@tidegate/vault';
import { createOpener, loadOpeningKeyring } from '@tidegate/vault/open';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { type RunningIntake, runIntake } from '../support/run-intake.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifyService } from '../support/verify-service.ts';

let database: TestDatabase;
let sql: Sql;
let dataDir: string;
let keyringDir: string;
let queue: Queue;
const receivers: RunningIntake[] = [];
const PATIENT = { timeout: 20_000 };

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  dataDir = await makeTempFolder('rotation');
  keyringDir = join(dataDir, 'keyring');
  await createKeyring(keyringDir);
  await claimKeyring(sql, (await loadKeyring(keyringDir)).id);
  await sql`insert into source (name, group_name, time_zone, watch) values ('home', 'home', 'UTC', 'linked')`;
  queue = await createQueue({ databaseUrl: database.url, redisUrl: null });
}, 60_000);
afterAll(async () => {
  await Promise.all(receivers.map((receiver) => receiver.stop()));
  await queue.close();
  await sql.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function startReceiver(lookEveryMs: number): Promise<RunningIntake> {
  const source = { id: 1, name: 'home', group: 'home', timeZone: 'UTC', lookupHash: Buffer.alloc(32) };
  const receiver = await runIntake({ databaseUrl: database.url, keyringDir, source, queue, lookEveryMs });
  receivers.push(receiver);
  return receiver;
}

function vault(...args: string[]): Promise<CliRun> {
  return runCli(['vault', ...args], { DATABASE_URL: database.url, TIDEGATE_DATA_DIR: dataDir });
}

interface Named {
  readonly type: 'Token' | 'Tunnel';
  readonly id: string;
}

const SUBJECTS: Named[] = [
  ...Array.from({ length: 40 }, (): Named => ({ type: 'Token', id: `invented-${randomBytes(12).toString('hex')}` })),
  ...Array.from({ length: 30 }, (_, n): Named => ({ type: 'Tunnel', id: String(100_000 + n) })),
  ...Array.from({ length: 10 }, (_, n): Named => ({ type: 'Tunnel', id: `odd tunnel ${n}` })),
];
let tick = 0;

function webhook({ type, id }: Named): object {
  tick += 1;
  const at = new Date(Date.UTC(2026, 0, 1) + tick * 1000).toISOString();
  return { Type: type, Id: id, Status: tick % 2 === 0 ? 'Connected' : 'Disconnected', ActionDate: at };
}

/** Every subject in the store by its real id, opened with the keys there are now, with its alias. */
async function openAll(): Promise<Map<string, string>> {
  const opener = createOpener({
    keyring: await loadOpeningKeyring(keyringDir),
    loadDataKey: (id) => loadDataKey(sql, id),
  });
  const rows = await sql<{ alias: string }[]>`select alias from subject order by id`;
  const byId = new Map<string, string>();
  for (const { alias } of rows) {
    const subject = await findStoredSubject(sql, alias);
    if (subject === null) throw new Error('a subject vanished');
    const sealed = subject.sealedId;
    const id =
      sealed === null
        ? subject.publicId
        : (await opener.open(sealed, { row: alias, purpose: 'subject-id' })).toString();
    if (id === null || byId.has(id)) throw new Error(`two subjects, or none, for one id: ${alias}`);
    byId.set(id, alias);
  }
  return byId;
}

/** Old enough for the old keys to be retired, as they are half a minute after a rotation. */
async function letSettle(): Promise<void> {
  const before = new Date(Date.now() - 60_000);
  for (const name of await readdir(keyringDir)) await utimes(join(keyringDir, name), before, before);
}

describe('rotating both keys while events flow', () => {
  it('finds every subject, makes none twice, and loses no alias and nothing sealed', async () => {
    const quick = await Promise.all([startReceiver(20), startReceiver(35)]);
    const slow = await startReceiver(3_600_000);
    const known = SUBJECTS.filter((_, index) => index % 2 === 0);
    await Promise.all(known.map((subject, index) => [...quick, slow][index % 3]?.receive(webhook(subject))));
    const repeated = webhook(SUBJECTS[0] as Named);
    const first = await quick[0]?.receive(repeated);
    const before = await openAll();
    expect(before.size).toBe(known.length);

    let flowing = true;
    const failures: unknown[] = [];
    const counts = { recorded: 0 };
    const flow = [...quick, slow].flatMap((receiver, lane) =>
      [0, 1, 2].map(async (offset) => {
        for (let n = lane * 7 + offset; flowing; n += 1) {
          const result = await receiver
            .receive(webhook(SUBJECTS[n % SUBJECTS.length] as Named))
            .catch((error: unknown) => error);
          if (typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'recorded')
            counts.recorded += 1;
          else failures.push(result);
        }
      }),
    );

    try {
      for (const pass of [1, 2]) {
        const rotated = await vault('rotate', '--reason', 'test', '--json');
        expect(rotated.code).toBe(0);
        expect(rotated.json()).toMatchObject({ fingerprintVersion: pass + 1 });
        const seen = counts.recorded;
        await expect.poll(() => counts.recorded, PATIENT).toBeGreaterThan(seen + 50);
        expect((await vault('rewrap', '--batch', '7', '--json')).code).toBe(0);
      }
      await expect.poll(() => quick.map(({ keys }) => keys.keyring.fingerprint.current), PATIENT).toEqual([3, 3]);
      expect(slow.keys.keyring.fingerprint.current).toBe(1);
      await slow.keys.look();
      const seen = counts.recorded;
      await expect.poll(() => counts.recorded, PATIENT).toBeGreaterThan(seen + 50);

      const early = await vault('rewrap', '--retire');
      expect([early.code, early.stderr]).toEqual([1, expect.stringMatching(/^The keys changed \d+ s ago/)]);
      await letSettle();
      const retired = await vault('rewrap', '--retire', '--json');
      expect([retired.code, retired.stderr]).toEqual([0, '']);
      await expect
        .poll(() => quick.map(({ keys }) => [...keys.keyring.fingerprint.keys.keys()]), PATIENT)
        .toEqual([[3], [3]]);
      await slow.keys.look();
      const last = counts.recorded;
      await expect.poll(() => counts.recorded, PATIENT).toBeGreaterThan(last + 50);
    } finally {
      flowing = false;
      await Promise.all(flow);
    }

    expect(failures).toEqual([]);
    const after = await openAll();
    expect([...after.keys()].sort()).toEqual(SUBJECTS.map(({ id }) => id).sort());
    for (const [id, alias] of before) expect(after.get(id)).toBe(alias);
    const again = await quick[1]?.receive(repeated);
    expect(again).toEqual({ ...first, repeat: true });

    // The slow one went on for a while with keys that were retired.
    expect((await vault('rewrap')).code).toBe(0);
    const { recipient } = await loadKeyring(keyringDir);
    expect(await sql`select distinct recipient_key_id from data_key`).toEqual([{ recipientKeyId: recipient.id }]);
    expect(await sql`select distinct version from fingerprint`).toEqual([{ version: 3 }]);
    expect((await vault('status', '--json')).json()).toMatchObject({
      fingerprint: { current: 3, versions: [3] },
      sealing: { keys: [recipient.id] },
      toRewrap: { subjects: 0, dataKeys: 0 },
    });
    const trail = await runCli(['audit', 'verify'], { DATABASE_URL: database.url, TIDEGATE_DATA_DIR: dataDir });
    expect(trail.code).toBe(0);
  }, 120_000);
});

describe('a rewrap that was stopped', () => {
  it('goes on where it was, and status says what is left', async () => {
    await vault('rotate', '--reason', 'test');
    const waiting = async () =>
      (await vault('status', '--json')).json<{ toRewrap: { subjects: number } }>().toRewrap.subjects;
    expect(await waiting()).toBe(SUBJECTS.length);
    const half = SUBJECTS.length / 2;
    const stopped = await sql.begin(async (tx) => {
      await tx`select 1 from subject where id = (select id from subject order by id offset ${half} limit 1) for update`;
      const run = vault('rewrap', '--batch', '10');
      await expect
        .poll(async () => (await sql`select count(*)::int as n from fingerprint where version = 4`)[0]?.n, PATIENT)
        .toBe(half);
      await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidegate-cli'`;
      return run;
    });
    expect([stopped.code, stopped.stderr]).toEqual([1, 'tidegate: The database cannot be reached.\n']);
    expect(await waiting()).toBe(half);
    expect((await vault('rewrap')).code).toBe(0);
    expect(await waiting()).toBe(0);
  });
});

describe('something stored that is not as it was', () => {
  async function content(): Promise<unknown> {
    return [
      await sql`select id, fingerprint_version, fingerprint, sealed_id, public_id from subject order by id`,
      await sql`select * from fingerprint order by version, value`,
      await sql`select * from data_key order by id`,
    ];
  }

  const damages: [string, () => Promise<() => Promise<unknown>>, RegExp][] = [
    [
      'a flipped bit in a sealed id',
      async () => {
        const [row] = await sql`select id, sealed_id from subject where sealed_id is not null order by id limit 1`;
        await sql`update subject set sealed_id = set_bit(sealed_id, 300, 1 - get_bit(sealed_id, 300)) where id = ${row?.id}`;
        return () => sql`update subject set sealed_id = ${row?.sealedId} where id = ${row?.id}`;
      },
      /dev_[a-z2-7]+: A sealed value cannot be opened: it is damaged or was moved/,
    ],
    [
      'two sealed ids that changed places',
      async () => {
        const rows = await sql`select id, sealed_id from subject where sealed_id is not null order by id limit 2`;
        const swap = async (order: number[]) => {
          for (const [index, row] of rows.entries())
            await sql`update subject set sealed_id = ${rows[order[index] ?? 0]?.sealedId} where id = ${row.id}`;
        };
        await swap([1, 0]);
        return () => swap([0, 1]);
      },
      /^2 stored value\(s\) cannot be opened/,
    ],
    [
      'two public ids that changed places',
      async () => {
        const swap =
          () => sql`update subject set public_id = case public_id when '100001' then '100002' else '100001' end
                               where public_id in ('100001', '100002')`;
        await swap();
        return swap;
      },
      /tun_[a-z2-7]+: The id that is stored does not give the fingerprint beside it/,
    ],
    [
      'a data key in another’s row',
      async () => {
        const rows = await sql`
          select id, wrapped from data_key order by (select count(*) from subject s
            where encode(substring(s.sealed_id from 2 for 16), 'hex')::uuid = data_key.id) desc limit 2`;
        await sql`update data_key set wrapped = ${rows[1]?.wrapped} where id = ${rows[0]?.id}`;
        return () => sql`update data_key set wrapped = ${rows[0]?.wrapped} where id = ${rows[0]?.id}`;
      },
      /opened\. [^\n]+\n {2}data key [0-9a-f-]+: A stored data key cannot be unwrapped/,
    ],
    [
      'a data key wrapped to a key that is gone',
      async () => {
        const [row] = await sql`select id, recipient_key_id from data_key order by id limit 1`;
        await sql`update data_key set recipient_key_id = 'rk_aaaaaaaaaaaaaaaa' where id = ${row?.id}`;
        return () => sql`update data_key set recipient_key_id = ${row?.recipientKeyId} where id = ${row?.id}`;
      },
      /the keyring lacks the private sealing key/,
    ],
    [
      'a data key that is gone',
      async () => {
        const [row] =
          await sql`select encode(substring(sealed_id from 2 for 16), 'hex')::uuid as id from subject where sealed_id is not null limit 1`;
        const [gone] = await sql`delete from data_key where id = ${row?.id} returning *`;
        return () =>
          sql`insert into data_key ${sql({ id: gone?.id, wrapped: gone?.wrapped, recipient_key_id: gone?.recipientKeyId })}`;
      },
      /its data key is not in the store/,
    ],
  ];

  it.each(damages)('%s is told clearly, and nothing is touched', async (_, damage, sentence) => {
    await vault('rotate', '--reason', 'test');
    const repair = await damage();
    const before = await content();
    const run = await vault('rewrap');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(sentence);
    expect(run.stderr).toContain('Nothing was changed');
    expect(run.stderr).not.toContain('invented-');
    expect(await content()).toEqual(before);
    const refused = await vault('rewrap', '--retire', '--skip-damaged', '--json');
    expect(refused.code).toBe(1);
    await repair();
    const done = await vault('rewrap', '--json');
    expect([done.code, done.stderr]).toEqual([0, '']);
  });

  it('is not shown by reveal', async () => {
    const [row] = await sql`select alias, sealed_id from subject where sealed_id is not null order by id limit 1`;
    const reveal = () => vault('reveal', row?.alias, '--reason', 'test', '--yes');
    await sql`update subject set sealed_id = set_bit(sealed_id, 300, 1 - get_bit(sealed_id, 300)) where alias = ${row?.alias}`;
    const damaged = await reveal();
    expect([damaged.code, damaged.stdout]).toEqual([1, '']);
    expect(damaged.stderr).toMatch(/^tidegate: A sealed value cannot be opened/);
    await sql`update subject set sealed_id = ${row?.sealedId} where alias = ${row?.alias}`;
    expect((await reveal()).code).toBe(0);
  });

  it.each(['device', 'tunnel'])(
    'is not shown by reveal as another’s, when two rows of a %s changed places',
    async (type) => {
      const rows = await sql<{ id: number; alias: string; publicId: string | null; sealedId: Buffer | null }[]>`
      select id, alias, public_id, sealed_id from subject where type = ${type} order by id limit 2`;
      const [one, two] = rows;
      if (one === undefined || two === undefined) throw new Error('two subjects are needed');
      // With the alias that a sealed id is bound to, so that it opens; their fingerprints stay.
      const put = async (contents: readonly (typeof one)[]) => {
        await sql`update subject set alias = 'moving ' || id where id in (${one.id}, ${two.id})`;
        for (const [index, { alias, publicId, sealedId }] of contents.entries())
          await sql`update subject set alias = ${alias}, public_id = ${publicId}, sealed_id = ${sealedId} where id = ${rows[index]?.id ?? 0}`;
      };
      await put([two, one]);
      const shown = await vault('reveal', one.alias, '--reason', 'test', '--yes');
      expect([shown.code, shown.stdout]).toEqual([1, '']);
      expect(shown.stderr).toMatch(/^tidegate: The id that is stored does not give the fingerprint beside it/);
      await put([one, two]);
      expect((await vault('reveal', one.alias, '--reason', 'test', '--yes')).code).toBe(0);
    },
  );
});

describe('tidegate vault reveal', () => {
  it('shows an id only with a reason, and a terminal or --yes, and leaves a row and a count', async () => {
    const alias = (await openAll()).get(SUBJECTS[0]?.id ?? '') ?? '';
    const env = { DATABASE_URL: database.url, TIDEGATE_DATA_DIR: dataDir };
    expect((await vault('reveal', alias, '--yes')).code).toBe(2);
    const hidden = await vault('reveal', alias, '--reason', 'which machine?');
    expect([hidden.code, hidden.stdout, hidden.stderr]).toEqual([2, '', expect.stringMatching(/not a terminal/)]);
    const counted = async () =>
      Number((await sql`select coalesce(sum(count), 0) as n from opened_values where purpose = 'subject-id'`)[0]?.n);
    const before = await counted();
    const shown = await vault('reveal', alias, '--reason', 'which machine?', '--yes', '--actor', 'ada');
    expect([shown.code, shown.stdout]).toEqual([0, `${SUBJECTS[0]?.id}\n`]);
    expect(await counted()).toBe(before + 1);
    const trail = await runCli(['audit', 'list', '--limit', '1', '--json'], env);
    expect(trail.json()).toMatchObject({
      items: [
        { action: 'vault.reveal', actor: 'ada', target: alias, reason: 'which machine?', facts: { type: 'device' } },
      ],
    });
    expect(trail.stdout).not.toContain(SUBJECTS[0]?.id);
    expect((await vault('reveal', 'dev_nobody', '--reason', 'x', '--yes')).code).toBe(1);
  });
});

describe('a subject that stands for a service whose device nobody has told us of', () => {
  it('has nothing to renew or to show, and does not keep old keys from being retired', async () => {
    const [service] = await sql<{ id: number }[]>`
      insert into service (name, source_name, group_name, device_ref, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
      values ('agent', 'home', 'home', 'mac-mini', 'default', 20000, 120000, 5000, '') returning id`;
    await sql`insert into gate (service_id) values (${service?.id ?? 0})`;
    await passTime(sql, 600_000);
    const { openedIncident } = await verifyService(sql, service?.id ?? 0, 'agent_down');
    expect(openedIncident).not.toBeNull();
    const standIns = () => sql<{ alias: string }[]>`
      select s.alias from subject s join fingerprint f on f.subject_id = s.id where s.sealed_id is null and s.public_id is null`;
    const [standIn, ...others] = await standIns();
    expect(others).toEqual([]);

    const status = async () => (await vault('status', '--json')).json<Record<string, unknown>>();
    await vault('rotate', '--reason', 'test');
    expect(await status()).toMatchObject({ subjects: SUBJECTS.length, toRewrap: { subjects: SUBJECTS.length } });
    const rewrapped = await vault('rewrap');
    expect([rewrapped.code, rewrapped.stderr]).toEqual([0, '']);
    await letSettle();
    const retired = await vault('rewrap', '--retire');
    expect([retired.code, retired.stderr]).toEqual([0, '']);
    expect(await status()).toMatchObject({ toRewrap: { subjects: 0, dataKeys: 0 }, fingerprints: [{ count: 80 }] });

    // It is found again by the service it stands for.
    expect(await standIns()).toEqual([standIn]);
    const shown = await vault('reveal', standIn?.alias ?? '', '--reason', 'test', '--yes');
    expect([shown.code, shown.stdout]).toEqual([1, '']);
    expect(shown.stderr).toMatch(/^This alias stands for a service whose device nobody has told us of yet/);
  }, 60_000);
});

describe('retiring keys while a receiver is silent', () => {
  const beatAt = (offsetSeconds: number) =>
    sql`update receiver set heartbeat_at = clock_timestamp() + make_interval(secs => ${offsetSeconds})`;

  it('is refused: it may hold deliveries that need them', async () => {
    await vault('rotate', '--reason', 'test');
    await letSettle();
    await beatReceiver(sql, 'rcv_spooling');
    await beatAt(-6);
    const before = await loadKeyring(keyringDir);
    const refused = await vault('rewrap', '--retire');
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      expect.stringMatching(/^Receiver rcv_spooling is silent [^\n]+\n$/),
    ]);
    expect((await loadKeyring(keyringDir)).fingerprint.keys.size).toBe(before.fingerprint.keys.size);
    expect(before.fingerprint.keys.size).toBe(2);
    // However long the command takes.
    await beatAt(600);
    expect((await vault('rewrap', '--retire')).code).toBe(0);
    // One that is not waited for any more does not keep keys from being retired.
    await vault('rotate', '--reason', 'test');
    await letSettle();
    await beatAt(-6);
    expect((await vault('rewrap', '--retire')).code).toBe(1);
    await sql`update receiver set retired_at = clock_timestamp(), retired_by = 'ada'`;
    expect((await vault('rewrap', '--retire')).code).toBe(0);
  });
});

describe('tidegate vault init', () => {
  it('makes a keyring once, and checks the one that is there', async () => {
    const env = { TIDEGATE_DATA_DIR: join(dataDir, 'fresh') };
    expect((await runCli(['vault', 'init', '--json'], env)).json()).toMatchObject({ created: true });
    expect((await runCli(['vault', 'init', '--json'], env)).json()).toMatchObject({ created: false });
    await rm(join(dataDir, 'fresh', 'keyring', 'lookup-key.json'));
    const broken = await runCli(['vault', 'init'], env);
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringMatching(/lookup-key\.json is missing/)]);
  });
});
