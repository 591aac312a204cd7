import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createQueue, type Queue } from '@tidegate/queue';
import {
  claimKeyring,
  connect,
  loadDataKey,
  type QuarantinedBody,
  quarantineBody,
  recheckSourceGates,
  type Sql,
  saveDataKey,
} from '@tidegate/store';
import { createKeyring, createSealer, loadKeyring, newId } from '@tidegate/vault';
import { createOpener, loadOpeningKeyring } from '@tidegate/vault/open';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PlantedService, plantService } from '../support/plant-service.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { type RunningIntake, runIntake } from '../support/run-intake.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

const CANARY = 'invented-token-4f2a9c7e';
const GOOD = { Id: '298487', ActionDate: '2026-11-30T10:00:00.1234567Z', Type: 'Tunnel', Status: 'Disconnected' };
const CAPS = { rowsPerSource: 3, totalBytes: 1000 };

let database: TestDatabase;
let sql: Sql;
let dataDir: string;
let queue: Queue;
let intake: RunningIntake;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  dataDir = await makeTempFolder('quarantine');
  const keyringDir = join(dataDir, 'keyring');
  await createKeyring(keyringDir);
  await claimKeyring(sql, (await loadKeyring(keyringDir)).id);
  await writeFile(join(dataDir, 'tidegate.yaml'), 'sources: [{ name: home }]\n');
  planted = await plantService(sql, 'agent');
  const source = {
    id: planted.sourceId,
    name: 'src-agent',
    group: 'g-agent',
    timeZone: 'UTC',
    lookupHash: Buffer.alloc(32),
  };
  queue = await createQueue({ databaseUrl: database.url, redisUrl: null });
  intake = await runIntake({ databaseUrl: database.url, keyringDir, source, queue, lookEveryMs: 3_600_000 });
}, 60_000);
afterAll(async () => {
  await intake?.stop();
  await queue?.close();
  await sql.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  await sql`delete from quarantine`;
});

const cli = (...args: string[]): Promise<CliRun> =>
  runCli(['quarantine', ...args], {
    DATABASE_URL: database.url,
    TIDEGATE_DATA_DIR: dataDir,
    TIDEGATE_CONFIG: join(dataDir, 'tidegate.yaml'),
  });

async function open(id: string, sealed: Buffer): Promise<string> {
  const keyring = await loadOpeningKeyring(join(dataDir, 'keyring'));
  const opener = createOpener({ keyring, loadDataKey: (key) => loadDataKey(sql, key) });
  return (await opener.open(sealed, { row: id, purpose: 'quarantined-body' })).toString();
}

const gate = async () =>
  (await sql`select state, reason, generation, verify_due_at, verify_due_at <= clock_timestamp() as due from gate`)[0];

/** Puts a body there as an older parser would have. */
async function plant(body: string): Promise<string> {
  const keyring = await loadKeyring(join(dataDir, 'keyring'));
  const sealer = createSealer({ keyring, saveDataKey: (row) => saveDataKey(sql, row), now: Date.now });
  await sealer.ready();
  const id = newId('qua');
  const sealedBody = sealer.seal(Buffer.from(body), { row: id, purpose: 'quarantined-body' });
  await quarantineBody(sql, row({ id, bytes: body.length, sealedBody }), CAPS, false);
  return id;
}

function row(changes: Partial<QuarantinedBody> = {}): QuarantinedBody {
  const id = newId('qua');
  return {
    id,
    sourceId: planted.sourceId,
    field: 'Id',
    problem: 'missing',
    bytes: 10,
    sealedBody: Buffer.from(id),
    ...changes,
  };
}

describe('a malformed body', () => {
  it(verifies('I3', 'is kept sealed, with fixed codes beside it and nothing it said'), async () => {
    const body = { [CANARY]: 1, Id: CANARY, ActionDate: CANARY, Type: CANARY, Status: 'Connected' };
    const result = await intake.receive(body);
    expect(result).toEqual({ kind: 'malformed', errors: [{ field: 'Type', problem: 'not_allowed' }] });
    const [kept] = await sql`select * from quarantine`;
    expect(kept).toMatchObject({ sourceId: planted.sourceId, field: 'Type', problem: 'not_allowed', replayedAs: null });
    expect(kept?.bytes).toBe(JSON.stringify(body).length);
    expect(await open(kept?.id, kept?.sealedBody)).toBe(JSON.stringify(body));
    const [text] = await sql<
      { row: string }[]
    >`select q::text || encode(sealed_body, 'escape') as row from quarantine q`;
    expect(text?.row).not.toContain(CANARY);
  });

  it('makes the gates of its group due, whatever their state, and neither opens nor shuts one', async () => {
    for (const state of ['open', 'held'] as const) {
      await sql`update gate set state = ${state}, reason = ${state === 'open' ? 'verified' : 'disconnected'},
        verify_due_at = clock_timestamp() + interval '5 minutes'`;
      const before = await gate();
      await quarantineBody(sql, row(), CAPS, false);
      expect(await gate()).toEqual(before);
      // A body that is too large is not kept, and no less unknown.
      for (const recheck of [
        () => quarantineBody(sql, row(), CAPS, true),
        () => recheckSourceGates(sql, planted.sourceId),
      ]) {
        await sql`update gate set verify_due_at = clock_timestamp() + interval '5 minutes'`;
        expect(await recheck()).toHaveLength(1);
        const { due, ...after } = (await gate()) ?? {};
        expect(due).toBe(true);
        expect(after).toEqual({ ...before, due: undefined, verifyDueAt: after.verifyDueAt });
      }
    }
  });

  it('leaves a running verification its lease, and other groups alone', async () => {
    await sql`update gate set verify_run = 'ver_x', verify_due_at = clock_timestamp() + interval '5 minutes'`;
    expect(await quarantineBody(sql, row(), CAPS, true)).toEqual([]);
    expect(await recheckSourceGates(sql, planted.sourceId)).toEqual([]);
    await sql`update gate set verify_run = null`;
    const [other] = await sql`
      insert into source (name, group_name, time_zone, watch) values ('other', 'other', 'UTC', 'linked') returning id`;
    expect(await quarantineBody(sql, row({ sourceId: other?.id }), CAPS, true)).toEqual([]);
    expect(await recheckSourceGates(sql, other?.id)).toEqual([]);
  });
});

describe('the room of the quarantine', () => {
  const ids = async () => (await sql`select id from quarantine order by received_at, id`).map(({ id }) => id);

  it('holds the newest of each source', async () => {
    const rows = [row(), row(), row(), row(), row()];
    for (const one of rows) await quarantineBody(sql, one, CAPS, false);
    expect(await ids()).toEqual(rows.slice(2).map(({ id }) => id));
  });

  it('holds so many bytes in all, the newest of them', async () => {
    const rows = [1, 2, 3, 4].map((n) => row({ bytes: 300, sourceId: planted.sourceId + 1000 * n }));
    for (const one of rows) await quarantineBody(sql, one, CAPS, false);
    expect(await ids()).toEqual(rows.slice(1).map(({ id }) => id));
  });
});

describe('tidegate quarantine', () => {
  it('lists what was wrong, and shows a body for a reason only, told in the trail', async () => {
    const id = await plant(`{"Id":"${CANARY}\u001b[2J"`);
    const listed = await cli('list', '--json');
    expect(listed.json()).toMatchObject({ items: [{ id, source: 'src-agent', field: 'Id', problem: 'missing' }] });
    expect(listed.stdout).not.toContain(CANARY);
    expect((await cli('show', id, '--yes')).code).toBe(2);
    const hidden = await cli('show', id, '--reason', 'new field?');
    expect([hidden.code, hidden.stdout, hidden.stderr]).toEqual([2, '', expect.stringMatching(/not a terminal/)]);
    const shown = await cli('show', id, '--reason', 'new field?', '--yes', '--actor', 'ada');
    expect([shown.code, shown.stdout]).toEqual([0, `{"Id":"${CANARY}\\u{1b}[2J"\n`]);
    const [told] = await sql`select actor, action, target, reason from audit order by seq desc limit 1`;
    expect(told).toEqual({ actor: 'ada', action: 'quarantine.show', target: id, reason: 'new field?' });
    expect((await cli('show', 'qua_nobody', '--reason', 'x', '--yes')).code).toBe(1);
  });

  it('replays what is understood now, once, as if it were delivered', async () => {
    await intake.receive({ ...GOOD, Status: 'Connected', ActionDate: '2026-11-30T09:00:00.0000000Z' });
    await sql`
      insert into dependency (subject_id, service_id, origin)
      select o.subject_id, ${planted.serviceId}, 'config' from observation o on conflict do nothing`;
    await sql`update gate set state = 'open', reason = 'verified', hand = null, opened_by_started_at = null`;
    const id = await plant(JSON.stringify(GOOD));
    const before = await gate();
    const [one, two] = [await cli('replay', id, '--json'), await cli('replay', id)];
    expect([one.code, one.stderr]).toEqual([0, '']);
    expect(one.json()).toMatchObject({
      id,
      observation: expect.stringMatching(/^obs_/),
      repeat: false,
      shut: ['agent'],
    });
    expect(await gate()).toMatchObject({ state: 'held', reason: 'disconnected', generation: before?.generation + 1 });
    const { observation } = one.json<{ observation: string }>();
    expect([two.code, two.stdout, two.stderr]).toEqual([1, '', `This body was replayed before, as ${observation}.\n`]);
    expect((await cli('list', '--json')).json()).toMatchObject({ items: [{ id, replayedAs: observation }] });
    expect((await sql`select count(*)::int as n from delivery`)[0]?.n).toBe(2);
    // Its id holds the time, as a receiver's does: else it would lie in no month, and outlive the pruning of its own.
    expect(await sql`select count(*)::int as n from delivery_default`).toEqual([{ n: 0 }]);
    const again = await intake.receive(GOOD);
    expect(again).toMatchObject({ kind: 'recorded', observation, repeat: true });
  });

  it('changes nothing when a body is still not understood', async () => {
    const id = await plant(`{"Id":"${CANARY}"}`);
    const before = await gate();
    const run = await cli('replay', id);
    expect([run.code, run.stdout]).toEqual([1, '']);
    expect(run.stderr).toMatch(/^The body is still not understood \(ActionDate missing, .*nothing was changed\.\n$/);
    expect(run.stderr).not.toContain(CANARY);
    expect(await gate()).toEqual(before);
    expect((await sql`select replayed_at from quarantine`)[0]?.replayedAt).toBeNull();
  });
});
