import { createHmac } from 'node:crypto';
import { canonicalJson, checkChain, type SafeName, type SignAudit } from '@tidegate/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { readAuditAfter } from '../audit/read-audit.ts';
import { connect, type Sql } from '../database/connect.ts';
import { createSilence, type NewSilence } from './create-silence.ts';
import { endSilence } from './end-silence.ts';
import { listSilences, readLiveSilences } from './list-silences.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  await sql`insert into service (name, source_name, group_name, policy_name, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
            values ('agent', 's', 'g', 'default', 1, 1, 1, 'x')`;
  await sql`insert into subject (alias, type, group_name, fingerprint_version, fingerprint) values ('dev_k3', 'device', 'g', 1, 'x')`;
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(() => sql`truncate silence`);

const ada = 'ada' as SafeName;
const sign: SignAudit = (row, previous) =>
  createHmac('sha256', 'invented')
    .update(canonicalJson({ ...row }))
    .update(previous ?? '')
    .digest();
const add = (id: string, more: Partial<NewSilence> = {}) =>
  createSilence(
    sql,
    {
      id,
      scope: 'service',
      target: 'agent',
      actor: ada,
      reason: 'move' as SafeName,
      forMs: 60_000,
      keyId: null,
      ...more,
    },
    sign,
  );
const end = (id: string, services: string[] | null = null) =>
  endSilence(sql, { id, actor: ada, keyId: null, services }, sign);

async function actions(): Promise<string[]> {
  const rows = await readAuditAfter(sql, 0, 1000);
  expect(checkChain(rows, null, sign)).toMatchObject({ kind: 'intact' });
  return rows.map(({ action, target }) => `${action} ${target}`);
}

describe('a silence', () => {
  it('mutes until its time is over or somebody ends it, and is told in the trail', async () => {
    expect((await add('sil_a')).outcome).toMatchObject({
      kind: 'created',
      silence: { id: 'sil_a', live: true, actor: 'ada', endedAt: null },
    });
    await add('sil_b', { scope: 'group', target: 'dev_k3' });
    await add('sil_c', { scope: 'all', target: null });
    expect((await readLiveSilences(sql)).map(({ id }) => id)).toEqual(['sil_a', 'sil_b', 'sil_c']);
    await sql`update silence set expires_at = clock_timestamp() where id = 'sil_b'`;
    expect((await end('sil_a')).outcome).toMatchObject({ kind: 'ended', silence: { live: false } });
    expect((await readLiveSilences(sql)).map(({ id }) => id)).toEqual(['sil_c']);
    const { items: all } = await listSilences(sql, { live: false, services: null, cursor: null, limit: 10 });
    expect(all.map(({ id, live }) => [id, live])).toEqual([
      ['sil_c', true],
      ['sil_b', false],
      ['sil_a', false],
    ]);
    expect((await actions()).slice(-4)).toEqual([
      'silence.add agent',
      'silence.add dev_k3',
      'silence.add all',
      'silence.end agent',
    ]);
  });

  it('for something that does not exist is refused: it would mute nothing', async () => {
    const before = (await actions()).length;
    for (const more of [
      { target: 'agnet' },
      { scope: 'group', target: 'agent' },
      { scope: 'all', target: 'agent' },
    ] as const) {
      expect((await add('sil_x', more)).outcome).toEqual({ kind: 'unknown_target' });
    }
    expect(await actions()).toHaveLength(before);
    expect((await listSilences(sql, { live: false, services: null, cursor: null, limit: 10 })).items).toEqual([]);
  });

  it('that is over, unknown or not for the actor to see is not ended, and leaves no row', async () => {
    await add('sil_a');
    await add('sil_all', { scope: 'all', target: null });
    const before = (await actions()).length;
    expect((await end('sil_nobody')).outcome).toEqual({ kind: 'not_found' });
    expect((await end('sil_a', ['other'])).outcome).toEqual({ kind: 'not_found' });
    expect((await end('sil_all', ['agent'])).outcome).toEqual({ kind: 'not_found' });
    await sql`update silence set expires_at = clock_timestamp()`;
    expect((await end('sil_a', ['agent'])).outcome).toMatchObject({ kind: 'over' });
    expect(await actions()).toHaveLength(before);
  });

  it('is ended once, however many people end it at once', async () => {
    await add('sil_a');
    const ended = await Promise.all(Array.from({ length: 4 }, () => end('sil_a')));
    expect(ended.filter(({ outcome }) => outcome.kind === 'ended')).toHaveLength(1);
  });

  it('is listed page by page, each once', async () => {
    for (const id of ['sil_a', 'sil_b', 'sil_c']) await add(id);
    const seen: string[] = [];
    for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
      const page = await listSilences(sql, { live: true, services: null, cursor, limit: 1 });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(['sil_c', 'sil_b', 'sil_a']);
  });

  it('is shown to a reader limited to some services if it is for one of them', async () => {
    await add('sil_a');
    await add('sil_all', { scope: 'all', target: null });
    const list = async (services: string[]) => {
      const { items } = await listSilences(sql, { live: true, services, cursor: null, limit: 9 });
      return items.map(({ id }) => id);
    };
    expect(await list(['agent'])).toEqual(['sil_a']);
    expect(await list(['other'])).toEqual([]);
  });
});
