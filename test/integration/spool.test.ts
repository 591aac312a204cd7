import { randomBytes } from 'node:crypto';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createQueue, type Queue } from '@tidegate/queue';
import type { WebhookEvent } from '@tidegate/simulator';
import { claimKeyring, connect, findStoredSubject, loadDataKey, type Sql } from '@tidegate/store';
import { createKeyring, loadKeyring } from '@tidegate/vault';
import { createOpener, loadOpeningKeyring, retireKeys, rotateKeyring } from '@tidegate/vault/open';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HalfOpenProxy, startHalfOpenProxy } from '../support/half-open-proxy.ts';
import { type PlantedService, plantService } from '../support/plant-service.ts';
import { type IntakeSettings, type RunningIntake, runIntake } from '../support/run-intake.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const SKEW_BOUND_MS = 120_000;

let database: TestDatabase;
let sql: Sql;
let queue: Queue;
let proxy: HalfOpenProxy;
let folder: string;
let planted: PlantedService;
let intake: RunningIntake;
let serial = 0;

beforeAll(async () => {
  folder = await makeTempFolder('spooling');
  await createKeyring(join(folder, 'keyring'));
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  await claimKeyring(sql, (await loadKeyring(join(folder, 'keyring'))).id);
  planted = await plantService(sql, 'agent');
  queue = await createQueue({ databaseUrl: database.url, redisUrl: null });
  proxy = await startHalfOpenProxy(Number(new URL(database.url).port));
  serial += 1;
  intake = await startIntake();
}, 60_000);
afterEach(async () => {
  proxy.abandon();
  await intake.stop();
  await proxy.close();
  await queue.close();
  await sql.end();
  await database.drop();
});

const spoolDir = () => join(folder, `spool-${serial}`);

function startIntake(changes: Partial<IntakeSettings> = {}): Promise<RunningIntake> {
  const source = {
    id: planted.sourceId,
    name: 'src-agent',
    group: 'g-agent',
    timeZone: 'UTC',
    lookupHash: Buffer.alloc(32),
  };
  const databaseUrl = Object.assign(new URL(database.url), { port: String(proxy.port) }).href;
  const keyringDir = join(folder, 'keyring');
  return runIntake({ databaseUrl, keyringDir, source, queue, lookEveryMs: 60_000, spoolDir: spoolDir(), ...changes });
}

/** Nobody listens where the store was; gives what brings it back. */
async function refuseConnections(): Promise<() => Promise<void>> {
  const target = Number(new URL(database.url).port);
  const { port } = proxy;
  await proxy.close();
  return async () => {
    proxy = await startHalfOpenProxy(target, port);
  };
}

let tick = 0;
function webhook(fields: Partial<WebhookEvent> = {}): WebhookEvent {
  tick += 1;
  const ActionDate = new Date(Date.now() - 3_600_000 + tick).toISOString();
  return { Id: '298487', Type: 'Tunnel', Status: 'Disconnected', ActionDate, ...fields };
}

/** What became of deliveries: `recorded`, or the code of the failure that is answered 503. */
const receiveAll = (webhooks: readonly object[], by = intake) =>
  Promise.all(
    webhooks.map((body) =>
      by.receive(body).then(
        ({ kind }) => kind,
        (error: { code?: string }) => error.code ?? 'unknown',
      ),
    ),
  );
const catchUp = (by = intake) =>
  until(
    'the receiver has caught up',
    () => by.recorder.catchUp(),
    (whole) => whole,
    40_000,
  );
/** How often each date was recorded, with when. */
const recorded = () => sql<{ date: string; count: number; at: Date }[]>`
  select o.action_date as date, count(d.id)::int as count, min(d.received_at) as at
  from observation o join delivery d on d.observation_key = o.key group by o.key, o.action_date order by o.action_date`;
const datesOf = (webhooks: readonly { ActionDate: string }[]) => webhooks.map(({ ActionDate }) => ActionDate).sort();

async function expectOnce(webhooks: readonly { ActionDate: string }[]): Promise<void> {
  const rows = await recorded();
  expect(rows.map(({ date }) => date)).toEqual(datesOf(webhooks));
  expect(rows.filter(({ count }) => count !== 1)).toEqual([]);
}

describe('while Postgres refuses connections', () => {
  it(verifies('I1.spool', 'keeps deliveries and records them once, before newer ones'), async () => {
    const bringBack = await refuseConnections();
    const older = Array.from({ length: 40 }, () => webhook());
    expect(new Set(await receiveAll(older))).toEqual(new Set(['store_unavailable']));
    expect(intake.spool.isEmpty()).toBe(false);
    expect(intake.recorder.isWhole()).toBe(false);
    await expect(intake.recorder.catchUp()).rejects.toMatchObject({ retryable: true });
    await bringBack();
    // The store is back, but not before it knows the older ones.
    const newer = [webhook()];
    expect(await receiveAll(newer)).toEqual(['store_unavailable']);
    const catching = catchUp();
    await until(
      'a newer one is recorded',
      async () => {
        newer.push(webhook());
        return receiveAll(newer.slice(-1));
      },
      ([outcome]) => outcome === 'recorded',
    );
    await catching;
    expect(intake.recorder.isWhole()).toBe(true);
    await expectOnce([...older, ...newer]);
    const rows = await recorded();
    const at = (set: readonly { ActionDate: string }[]) =>
      rows.filter(({ date }) => datesOf(set).includes(date)).map((row) => row.at.getTime());
    expect(Math.max(...at(older))).toBeLessThanOrEqual(Math.min(...at(newer.slice(-1))));
  });

  it(verifies('I2.heartbeat', 'has gates held from before the first of them is recorded'), async () => {
    await intake.stop();
    const seen: number[] = [];
    const rowsNow = async () => (await sql`select count(*)::int as n from delivery`)[0]?.n;
    intake = await startIntake({ expect: async () => void seen.push(await rowsNow()) });
    const back = await refuseConnections();
    expect(await receiveAll([webhook(), webhook()])).toEqual(['store_unavailable', 'store_unavailable']);
    expect(seen).toEqual([]);
    await back();
    await catchUp();
    expect(seen[0]).toBe(0);
    expect(await rowsNow()).toBe(2);
  });

  it('seals tokens under a key that the store gets with them, and a receiver that starts then does so too', async () => {
    const bringBack = await refuseConnections();
    const tokens = Array.from({ length: 5 }, () => `invented-${randomBytes(12).toString('hex')}`);
    await receiveAll(tokens.map((Id) => webhook({ Id, Type: 'Token', ActionDate: `not a date ${Id}` })));
    expect(intake.spool.lost()).toBe(false);
    await bringBack();
    await catchUp();
    const opener = createOpener({
      keyring: await loadOpeningKeyring(join(folder, 'keyring')),
      loadDataKey: (id) => loadDataKey(sql, id),
    });
    const rows = await sql<{ alias: string }[]>`select alias from subject where type = 'device'`;
    const ids = await Promise.all(
      rows.map(async ({ alias }) => {
        const sealed = (await findStoredSubject(sql, alias))?.sealedId ?? Buffer.alloc(0);
        return String(await opener.open(sealed, { row: alias, purpose: 'subject-id' }));
      }),
    );
    expect(ids.sort()).toEqual(tokens.sort());
    const [dated] = await sql<
      { key: string; sealed: Buffer }[]
    >`select key, sealed_action_date as sealed from observation limit 1`;
    const date = await opener.open(dated?.sealed ?? Buffer.alloc(0), { row: dated?.key ?? '', purpose: 'action-date' });
    expect(String(date)).toContain('not a date invented-');
  });

  it('keeps bodies it does not understand, once, and counts a replay cut off before its file was removed once', async () => {
    const bringBack = await refuseConnections();
    const webhooks = Array.from({ length: 10 }, () => webhook());
    await receiveAll(webhooks);
    await expect(intake.receive('{"Id":"not a webhook"}')).rejects.toMatchObject({ retryable: true });
    // A process killed after its commit and before the file is gone leaves just this.
    await cp(spoolDir(), join(folder, 'before'), { recursive: true });
    await bringBack();
    await catchUp();
    await expectOnce(webhooks);
    await intake.stop();
    await rm(spoolDir(), { recursive: true });
    await cp(join(folder, 'before'), spoolDir(), { recursive: true });
    intake = await startIntake();
    expect(intake.spool.isEmpty()).toBe(false);
    await catchUp();
    expect(intake.spool.isEmpty()).toBe(true);
    await expectOnce(webhooks);
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from quarantine`;
    expect(row?.count).toBe(1);
  });

  it('moves what the store refuses aside, keeps its mates, and counts it as lost', async () => {
    const bringBack = await refuseConnections();
    const webhooks = [webhook(), webhook()];
    await receiveAll(webhooks);
    await expect(intake.receive('{"Id":"not a webhook"}')).rejects.toMatchObject({ retryable: true });
    await bringBack();
    await sql`alter table quarantine add constraint refuses check (bytes < 0)`;
    await sql`alter table observation add constraint refuses check (action_date <> ${sql.unsafe(`'${webhooks[0]?.ActionDate}'`)})`;
    const generation = async () =>
      (await sql<{ generation: number }[]>`select generation from gate`)[0]?.generation ?? 0;
    const before = await generation();
    await catchUp();
    await expectOnce(webhooks.slice(1));
    expect((await readdir(spoolDir())).filter((name) => name.endsWith('.damaged'))).toHaveLength(1);
    expect(await generation()).toBe(before + 1);
  });

  const asOpen = () =>
    sql`update gate set state = 'open', reason = 'verified', generation = 7, opened_by = 'ver_planted'`;
  const gates = () => sql`select state, generation from gate`;
  const asideFiles = async () => (await readdir(spoolDir())).filter((name) => name.endsWith('.damaged'));

  it.each([
    ['fingerprint', { fingerprint: true, sealing: false }, '298487', 'Tunnel'],
    ['sealing', { fingerprint: false, sealing: true }, 'invented-token-of-a-device', 'Token'],
  ] as const)('counts as lost what needs a retired %s key, and shuts every gate', async (_, rotated, Id, Type) => {
    const keyringDir = join(folder, 'keyring');
    await asOpen();
    const bringBack = await refuseConnections();
    await receiveAll([webhook({ Id, Type })]);
    await rotateKeyring(keyringDir, rotated);
    await intake.keys.look();
    const kept = webhook({ Id: '298488' });
    await receiveAll([kept]);
    await retireKeys(keyringDir);
    await intake.keys.look();
    await bringBack();
    await catchUp();
    await expectOnce([kept]);
    expect(await gates()).toEqual([{ state: 'held', generation: 8 }]);
    expect(await asideFiles()).toHaveLength(1);
    const { recipient } = await loadKeyring(keyringDir);
    expect(await sql`select id from data_key where recipient_key_id <> ${recipient.id}`).toEqual([]);
  });

  it('records what was sealed under keys that were rotated and are live', async () => {
    const bringBack = await refuseConnections();
    const webhooks = [webhook(), webhook({ Id: 'invented-token-of-another', Type: 'Token' })];
    await receiveAll(webhooks);
    await rotateKeyring(join(folder, 'keyring'), { fingerprint: true, sealing: true });
    await intake.keys.look();
    await bringBack();
    await catchUp();
    await expectOnce(webhooks);
    expect(await asideFiles()).toEqual([]);
  });

  it('counts an end of a segment that is cut off as lost, shuts every gate once, and becomes whole', async () => {
    await asOpen();
    const bringBack = await refuseConnections();
    const webhooks = [webhook(), webhook()];
    for (const body of webhooks) await receiveAll([body]);
    await intake.stop();
    const [name = ''] = (await readdir(spoolDir())).filter((file) => file.endsWith('.spool'));
    const path = join(spoolDir(), name);
    const bytes = await readFile(path);
    // A bit of the last frame's length: it seems to go on behind the end of the file.
    const lengthAt = bytes.lastIndexOf(Buffer.from([0xff, 0x54, 0x47, 0x01])) + 4;
    bytes[lengthAt] = 0x40;
    await writeFile(path, bytes);
    await bringBack();
    intake = await startIntake();
    await catchUp();
    await expectOnce(webhooks.slice(0, 1));
    expect(await gates()).toEqual([{ state: 'held', generation: 8 }]);
    expect(intake.recorder.isWhole()).toBe(true);
  });

  it('gets through bodies that together take longer than one step may', async () => {
    const bringBack = await refuseConnections();
    for (let n = 0; n < 30; n += 1) await intake.receive(`{"Id":"not a webhook ${n}"}`).catch(() => undefined);
    await bringBack();
    await sql`create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.4); return new; end $$`;
    await sql`create trigger linger before insert on quarantine for each row execute function linger()`;
    expect(await intake.recorder.catchUp()).toBe(true);
    const [row] = await sql<{ count: number }[]>`select count(*)::int as count from quarantine`;
    expect(row?.count).toBe(30);
  });

  it('does not come to believe a date by waiting that was too far ahead when it came', async () => {
    const bringBack = await refuseConnections();
    const believedMs = Date.now() + 1500;
    const future = webhook({ Status: 'Connected', ActionDate: new Date(believedMs + SKEW_BOUND_MS).toISOString() });
    const past = webhook();
    await receiveAll([future, past]);
    await until('a moment passes', Date.now, (now) => now > believedMs + 500);
    await bringBack();
    await catchUp();
    const rows = await sql<{ date: string; trusted: boolean }[]>`select action_date as date, trusted from observation`;
    expect(Object.fromEntries(rows.map(({ date, trusted }) => [date, trusted]))).toEqual({
      [future.ActionDate]: false,
      [past.ActionDate]: true,
    });
  });

  it(verifies('I1.spool', 'shuts every gate before it counts as whole, if it lost one'), async () => {
    await intake.stop();
    intake = await startIntake({ spoolLimits: { capBytes: 4000, segmentBytes: 4000 } });
    await sql`update gate set state = 'open', reason = 'verified', generation = 7, opened_by = 'ver_planted'`;
    const bringBack = await refuseConnections();
    const webhooks = Array.from({ length: 12 }, () => webhook({ Status: 'Connected' }));
    for (const body of webhooks) await receiveAll([body]);
    expect(intake.spool.lost()).toBe(true);
    await bringBack();
    // As after kill -9: the loss is not forgotten.
    const next = await startIntake();
    expect(next.recorder.isWhole()).toBe(false);
    await catchUp(next);
    const [gate] = await sql<{ state: string; reason: string; generation: number; due: boolean }[]>`
      select state, reason, generation, verify_due_at <= clock_timestamp() as due from gate`;
    expect(gate).toEqual({ state: 'held', reason: 'receiver_silent', generation: 8, due: true });
    const kept = await recorded();
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.length).toBeLessThan(webhooks.length);
    await next.stop();
  });
});

describe('while connections to Postgres stay open and say nothing', () => {
  it('spools what is under way when it has to end', async () => {
    proxy.freeze();
    const webhooks = Array.from({ length: 3 }, () => webhook());
    const startedAt = performance.now();
    const waiting = receiveAll(webhooks);
    intake.recorder.hurry();
    await waiting;
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(intake.spool.isEmpty()).toBe(false);
    expect(intake.spool.lost()).toBe(false);
  });

  it(
    verifies('I1.spool', 'spools all that wait, and records each once though the commit may go through after all'),
    async () => {
      const webhooks = [webhook()];
      expect(await receiveAll(webhooks)).toEqual(['recorded']);
      proxy.freeze();
      const startedAt = performance.now();
      const waiting = Array.from({ length: 1200 }, () => webhook());
      const outcomes = await receiveAll(waiting);
      expect(new Set(outcomes)).toEqual(new Set(['commit_timeout', 'store_unavailable']));
      expect(performance.now() - startedAt).toBeLessThan(15_000);
      expect(intake.spool.lost()).toBe(false);
      const later = Array.from({ length: 5 }, () => webhook());
      const laterAt = performance.now();
      await receiveAll(later);
      expect(performance.now() - laterAt).toBeLessThan(2000);
      proxy.abandon();
      await catchUp();
      await expectOnce([...webhooks, ...waiting, ...later]);
    },
  );
});
