import { createHash, createHmac } from 'node:crypto';
import { canonicalJson, checkChain, type SafeName, type SignAudit } from '@tidegate/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { readAuditAfter } from '../audit/read-audit.ts';
import { connect, type Sql } from '../database/connect.ts';
import { addSource } from './add-source.ts';
import { addSourceCounts } from './add-source-counts.ts';
import { applySources, type SourceConfig } from './apply-sources.ts';
import { cancelRotation } from './cancel-rotation.ts';
import { listSourceSecrets } from './list-source-secrets.ts';
import { isLiveSecret, listSources } from './list-sources.ts';
import { finishRotation, removeSource, rotateSource } from './rotate-source.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(() => sql`truncate source, source_secret, source_counter`);

const ada = 'ada' as SafeName;
const sign: SignAudit = (row, previous) =>
  createHmac('sha256', 'invented')
    .update(canonicalJson({ ...row }))
    .update(previous ?? '')
    .digest();
const hash = (secret: string) => createHash('sha256').update(secret).digest();
const config = (name: string, secret: string): SourceConfig => ({
  name,
  group: 'g',
  timeZone: 'UTC',
  watch: 'linked',
  secretHash: hash(secret),
});
const add = (name: string, secret: string) =>
  addSource(sql, { name, group: 'g', timeZone: 'UTC', watch: 'all', secretHash: hash(secret), actor: ada }, sign);
const rotate = (name: string, secret: string, becomesConfigured = false) =>
  rotateSource(sql, { name, actor: ada, secretHash: hash(secret), becomesConfigured }, sign);
const finish = (name: string, made: string | null = null) =>
  finishRotation(sql, { name, actor: ada, madeHash: made === null ? null : hash(made) }, sign);
const cancel = (name: string, made: string | null = null) =>
  cancelRotation(sql, { name, actor: ada, madeHash: made === null ? null : hash(made) }, sign);
const remove = (name: string) => removeSource(sql, { name, actor: ada }, sign);

/** Which secrets a receiver takes, as `source/secret`. */
async function taken(secrets: readonly string[]): Promise<string[]> {
  const rows = await listSourceSecrets(sql);
  return secrets.flatMap((secret) =>
    rows.filter((row) => row.lookupHash.equals(hash(secret))).map((row) => `${row.name}/${secret}`),
  );
}

async function actions(): Promise<string[]> {
  const rows = await readAuditAfter(sql, 0, 1000);
  expect(checkChain(rows, null, sign)).toMatchObject({ kind: 'intact' });
  return rows.map(({ action, target }) => `${action} ${target}`);
}

describe('a source that a person added', () => {
  it('survives the start of a receiver whose config does not name it, and goes when it is removed', async () => {
    await applySources(sql, [config('home', 'h1')]);
    expect((await add('hand', 'c1')).outcome).toEqual({ kind: 'added' });
    await applySources(sql, [config('home', 'h1')]);
    expect(await taken(['h1', 'c1'])).toEqual(['home/h1', 'hand/c1']);
    expect((await listSources(sql)).map(({ name, origin }) => [name, origin])).toEqual([
      ['hand', 'cli'],
      ['home', 'config'],
    ]);
    expect((await remove('hand')).outcome).toEqual({ kind: 'removed' });
    expect(await taken(['h1', 'c1'])).toEqual(['home/h1']);
    expect((await remove('hand')).outcome).toEqual({ kind: 'not_found' });
    expect((await actions()).slice(-2)).toEqual(['source.add hand', 'source.remove hand']);
  });

  it('takes no name that is taken, and comes back under a new secret', async () => {
    await applySources(sql, [config('home', 'h1')]);
    expect((await add('home', 'c1')).outcome).toEqual({ kind: 'exists', origin: 'config' });
    await add('hand', 'c1');
    expect((await add('hand', 'c2')).outcome).toEqual({ kind: 'exists', origin: 'cli' });
    await remove('hand');
    expect((await add('hand', 'c3')).outcome).toEqual({ kind: 'added' });
    expect(await taken(['c1', 'c2', 'c3'])).toEqual(['hand/c3']);
  });

  it('becomes the config’s when the config names it, and its URL goes on working', async () => {
    await add('hand', 'c1');
    await applySources(sql, [config('hand', 'h1')]);
    expect(await taken(['c1', 'h1'])).toEqual(['hand/c1', 'hand/h1']);
    expect((await remove('hand')).outcome).toEqual({ kind: 'configured' });
    await finish('hand');
    expect(await taken(['c1', 'h1'])).toEqual(['hand/h1']);
    await applySources(sql, []);
    expect(await taken(['h1'])).toEqual([]);
  });
});

describe('a rotation', () => {
  it('keeps two secrets live until it is finished', async () => {
    await add('hand', 'c1');
    expect((await rotate('hand', 'c2')).outcome).toEqual({ kind: 'rotated' });
    expect(await taken(['c1', 'c2'])).toEqual(['hand/c1', 'hand/c2']);
    expect((await rotate('hand', 'c3')).outcome).toEqual({ kind: 'under_way' });
    expect((await finish('hand')).outcome).toEqual({ kind: 'finished', retired: 1 });
    expect(await taken(['c1', 'c2'])).toEqual(['hand/c2']);
    expect((await finish('hand')).outcome).toEqual({ kind: 'nothing_to_finish' });
    expect((await rotate('nobody', 'c3')).outcome).toEqual({ kind: 'not_found' });
    expect((await actions()).slice(-2)).toEqual(['source.rotate hand', 'source.finish_rotation hand']);
  });

  it('of a secret that was made for the config survives restarts, before and after it is finished', async () => {
    await applySources(sql, [config('home', 'h1')]);
    await rotate('home', 'h2', true);
    // The file holds the second one from now on.
    await applySources(sql, [config('home', 'h2')]);
    expect(await taken(['h1', 'h2'])).toEqual(['home/h1', 'home/h2']);
    expect((await finish('home', 'h2')).outcome).toEqual({ kind: 'finished', retired: 1 });
    await applySources(sql, [config('home', 'h2')]);
    expect(await taken(['h1', 'h2'])).toEqual(['home/h2']);
  });

  it('of such a secret is undone by --finish if its file was never written', async () => {
    await applySources(sql, [config('home', 'h1')]);
    await rotate('home', 'h2', true);
    await applySources(sql, [config('home', 'h1')]);
    expect((await finish('home', 'h1')).outcome).toEqual({ kind: 'finished', retired: 1 });
    expect(await taken(['h1', 'h2'])).toEqual(['home/h1']);
  });

  it('of a secret that the config gives is finished once the config gives the second', async () => {
    await applySources(sql, [config('home', 'h1')]);
    await rotate('home', 'h2');
    await applySources(sql, [config('home', 'h1')]);
    expect(await taken(['h1', 'h2'])).toEqual(['home/h1', 'home/h2']);
    expect((await finish('home')).outcome).toEqual({ kind: 'configured' });
    await applySources(sql, [config('home', 'h2')]);
    expect(await taken(['h1', 'h2'])).toEqual(['home/h1', 'home/h2']);
    expect((await finish('home')).outcome).toEqual({ kind: 'finished', retired: 1 });
    expect(await taken(['h1', 'h2'])).toEqual(['home/h2']);
  });
});

describe('a rotation whose second URL was lost', () => {
  it('is cancelled: the second secret ends, the first stays, and another can be made', async () => {
    await add('hand', 'c1');
    expect((await cancel('hand')).outcome).toEqual({ kind: 'nothing_to_cancel' });
    await rotate('hand', 'c2');
    expect((await cancel('hand')).outcome).toEqual({ kind: 'cancelled' });
    expect(await taken(['c1', 'c2'])).toEqual(['hand/c1']);
    expect((await rotate('hand', 'c3')).outcome).toEqual({ kind: 'rotated' });
    expect(await taken(['c1', 'c2', 'c3'])).toEqual(['hand/c1', 'hand/c3']);
    expect((await cancel('nobody')).outcome).toEqual({ kind: 'not_found' });
    expect((await actions()).slice(-2)).toEqual(['source.cancel_rotation hand', 'source.rotate hand']);
  });

  it('of a secret that the config gives leaves that one', async () => {
    await applySources(sql, [config('home', 'h1')]);
    await rotate('home', 'c2');
    expect((await cancel('home')).outcome).toEqual({ kind: 'cancelled' });
    expect(await taken(['h1', 'c2'])).toEqual(['home/h1']);
  });

  it('is not lost, and stays, when the config or its file gives it', async () => {
    await applySources(sql, [config('home', 'h1')]);
    await rotate('home', 'h2', true);
    expect((await cancel('home', 'h2')).outcome).toEqual({ kind: 'configured' });
    // The file still has the first one: it was never written.
    expect((await cancel('home', 'h1')).outcome).toEqual({ kind: 'cancelled' });
    expect(await taken(['h1', 'h2'])).toEqual(['home/h1']);
    await applySources(sql, [config('home', 'h3')]);
    expect((await cancel('home')).outcome).toEqual({ kind: 'configured' });
    expect(await taken(['h1', 'h3'])).toEqual(['home/h1', 'home/h3']);
  });
});

describe('a config', () => {
  it('that changes a secret keeps the one before live, and no more than two', async () => {
    for (const secret of ['h1', 'h2', 'h3']) await applySources(sql, [config('home', secret)]);
    expect(await taken(['h1', 'h2', 'h3'])).toEqual(['home/h2', 'home/h3']);
  });

  it('whose process has no secret takes none away, and says so where there is none', async () => {
    await applySources(sql, [config('home', 'h1')]);
    const without = { ...config('home', 'x'), secretHash: null };
    await applySources(sql, [without]);
    expect(await taken(['h1'])).toEqual(['home/h1']);
    await expect(applySources(sql, [{ ...without, name: 'other' }])).rejects.toMatchObject({
      code: 'source_secret_missing',
    });
  });
});

describe('a source that the config no longer names', () => {
  it('has no secret left, and none comes back with it but the one that the config gives', async () => {
    for (const secret of ['leaked', 'h1']) await applySources(sql, [config('home', secret), config('other', 'o1')]);
    await applySources(sql, [config('other', 'o1')]);
    expect(await taken(['leaked', 'h1', 'o1'])).toEqual(['other/o1']);
    await applySources(sql, [config('home', 'h2'), config('other', 'o1')]);
    expect(await taken(['leaked', 'h1', 'h2', 'o1'])).toEqual(['home/h2', 'other/o1']);
  });

  it('takes the secret along that a person gave it', async () => {
    await applySources(sql, [config('home', 'h1')]);
    await rotate('home', 'c2');
    await applySources(sql, []);
    await applySources(sql, [config('home', 'h1')]);
    expect(await taken(['h1', 'c2'])).toEqual(['home/h1']);
  });

  it('needs a secret when it comes back, as a new one does', async () => {
    await applySources(sql, [config('home', 'h1')]);
    await applySources(sql, []);
    await expect(applySources(sql, [{ ...config('home', 'x'), secretHash: null }])).rejects.toMatchObject({
      code: 'source_secret_missing',
    });
  });

  it('leaves no secret behind that was live when it was retired by an older version', async () => {
    await applySources(sql, [config('home', 'leaked')]);
    await sql`update source set retired_at = clock_timestamp()`;
    await applySources(sql, [config('home', 'h1')]);
    expect(await taken(['leaked', 'h1'])).toEqual(['home/h1']);
  });
});

describe('the list', () => {
  it('shows what was seen and counted, and no secret', async () => {
    await add('hand', 'c1');
    await rotate('hand', 'c2');
    const [source] = await sql<{ id: number }[]>`select id from source`;
    const heard = (outcomes: Record<string, number>, dateShape: string | null, seenMs: number, problem?: string) =>
      addSourceCounts(sql, [
        {
          sourceId: source?.id ?? 0,
          outcomes,
          lastSeenAt: new Date(seenMs),
          firstReport: dateShape === null ? null : { dateShape },
          firstRejection: problem === undefined ? null : { problem },
        },
      ]);
    await heard({ recorded: 11, malformed: 1 }, null, 2000);
    await heard({ recorded: 1 }, 'utc7', 3000);
    await heard({ repeated: 2 }, 'another', 1000, 'missing');
    await heard({ malformed: 1 }, null, 1000, 'another');
    const [row] = await listSources(sql);
    expect(row).toMatchObject({
      name: 'hand',
      lastSeenAt: new Date(3000),
      firstReport: { dateShape: 'utc7' },
      firstRejection: { problem: 'missing' },
      counters: { recorded: 12, malformed: 2, repeated: 2 },
      secrets: [{ origin: 'cli' }, { origin: 'cli' }],
    });
    expect(JSON.stringify(row)).not.toContain(hash('c1').toString('hex').slice(0, 8));
    expect(await isLiveSecret(sql, 'hand', hash('c1'))).toBe(true);
    expect(await isLiveSecret(sql, 'hand', hash('other'))).toBe(false);
  });
});
