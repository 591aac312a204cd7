import { createHmac } from 'node:crypto';
import {
  type AuditEntry,
  type AuditHead,
  type ChainCheck,
  canonicalJson,
  checkChain,
  checkReach,
  type SignAudit,
} from '@tidegate/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { connect, type Sql } from '../database/connect.ts';
import { inAuditedTransaction, recordAudit } from './in-audited-transaction.ts';
import { addOpenedValues, listOpenedValues } from './opened-values.ts';
import { listAudit, readAuditAfter, readAuditHead } from './read-audit.ts';

let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 8 });
  await sql`create table scratch (n int)`;
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
});
beforeEach(() => byForce((tx) => tx`delete from audit`));

const sign: SignAudit = ({ facts, ...row }, previous) =>
  createHmac('sha256', 'invented')
    .update(canonicalJson({ ...row, facts }))
    .update(previous ?? '')
    .digest();

function entry(n: number, more: Partial<AuditEntry> = {}): AuditEntry {
  return { actor: 'ada', action: 'gate.hold', target: `service-${n}`, reason: null, facts: { n }, ...more };
}

/** As somebody would who owns the database. */
async function byForce(change: (tx: Sql) => Promise<unknown>): Promise<void> {
  await sql`alter table audit disable trigger user`;
  await change(sql);
  await sql`alter table audit enable trigger user`;
}

async function check(known: AuditHead | null = null): Promise<ChainCheck> {
  return checkReach(checkChain(await readAuditAfter(sql, 0, 1000), null, sign, known), known);
}

async function plant(count: number): Promise<void> {
  for (let n = 1; n <= count; n += 1) await recordAudit(sql, sign, entry(n));
}

describe('the audit trail', () => {
  it('is one chain, however many write to it at once, and reads back exactly as it was signed', async () => {
    const odd = {
      reason: 'çok acil "…" 🔒',
      facts: { a: -0, b: 1.5e-7, c: 'é\n', d: null, e: true, n: 12_345_678_901 },
    };
    const done = await Promise.all(Array.from({ length: 40 }, (_, n) => recordAudit(sql, sign, entry(n, odd))));
    expect(done.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
    expect(await check()).toEqual({ kind: 'intact', head: await readAuditHead(sql) });
    expect((await readAuditHead(sql))?.seq).toBe(40);
  });

  it('holds a row exactly when what it tells of was done', async () => {
    const work = (n: number, end: 'kept' | 'thrown' | 'nothing') =>
      inAuditedTransaction(sql, sign, async (tx) => {
        await tx`insert into scratch values (${n})`;
        if (end === 'thrown') throw new Error('on purpose');
        return { outcome: n, entry: end === 'nothing' ? null : entry(n) };
      }).catch(() => null);
    const ends = ['kept', 'thrown', 'nothing'] as const;
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => work(n, ends[n % 3] ?? 'kept')));
    const rows = await readAuditAfter(sql, 0, 100);
    expect(rows.map(({ facts }) => Number(facts.n)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 10 }, (_, n) => 3 * n),
    );
    expect(answers.map((answer) => answer?.head?.seq ?? null).filter((seq) => seq !== null)).toHaveLength(10);
    expect(await check()).toMatchObject({ kind: 'intact' });
  });

  it('refuses to be changed, cut or emptied', async () => {
    await plant(2);
    const attempts = [sql`update audit set actor = 'eve'`, sql`delete from audit where seq = 2`, sql`truncate audit`];
    for (const attempt of attempts) await expect(attempt).rejects.toMatchObject({ code: '23001' });
    expect(await readAuditAfter(sql, 0, 10)).toHaveLength(2);
  });

  it('shows what somebody changed who got past that', async () => {
    const tampering: [(tx: Sql) => Promise<unknown>, number, string][] = [
      [(tx) => tx`update audit set reason = 'because' where seq = 3`, 3, 'changed'],
      [(tx) => tx`update audit set at = at + interval '1 microsecond' where seq = 2`, 2, 'changed'],
      [(tx) => tx`update audit set facts = facts || '{"x": 1}' where seq = 5`, 5, 'changed'],
      [(tx) => tx`delete from audit where seq = 2`, 2, 'missing'],
      [(tx) => tx`update audit set seq = case seq when 2 then -4 else -2 end where seq in (2, 4)`, 2, 'changed'],
      [(tx) => tx`delete from audit where seq = 1`, 1, 'missing'],
    ];
    for (const [change, seq, flaw] of tampering) {
      await byForce((tx) => tx`delete from audit`);
      await plant(5);
      await byForce(change);
      await byForce((tx) => tx`update audit set seq = -seq where seq < 0`);
      expect(await check()).toEqual({ kind: 'broken', seq, flaw });
    }
  });

  it('shows a cut tail to whoever kept a head', async () => {
    await plant(4);
    const head = await readAuditHead(sql);
    await byForce((tx) => tx`delete from audit where seq > 2`);
    expect(await check()).toMatchObject({ kind: 'intact' });
    expect(await check(head)).toEqual({ kind: 'broken', seq: 3, flaw: 'cut' });
    await plant(3);
    expect(await check(head)).toEqual({ kind: 'broken', seq: 4, flaw: 'other_head' });
  });

  it('is listed newest first, in pages', async () => {
    await plant(5);
    expect((await listAudit(sql, null, 2)).map(({ seq }) => seq)).toEqual([5, 4]);
    expect((await listAudit(sql, 4, 9)).map(({ seq }) => seq)).toEqual([3, 2, 1]);
  });
});

describe('values opened by machines', () => {
  it('are added up per hour and purpose', async () => {
    await Promise.all([
      addOpenedValues(sql, new Map([['callback-url', 2]])),
      addOpenedValues(
        sql,
        new Map([
          ['callback-url', 3],
          ['subject-id', 1],
        ]),
      ),
      addOpenedValues(sql, new Map()),
    ]);
    const rows = await listOpenedValues(sql, 10);
    const total = (purpose: string) =>
      rows.filter((row) => row.purpose === purpose).reduce((sum, row) => sum + row.count, 0);
    expect([total('callback-url'), total('subject-id')]).toEqual([5, 1]);
    expect(rows.every(({ hour }) => hour.getTime() % 3_600_000 === 0)).toBe(true);
  });
});
