import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { connect, type Sql } from '../database/connect.ts';
import { findSubjects } from './find-subjects.ts';
import { resolveSubjects, type SubjectIdentity } from './resolve-subjects.ts';

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
beforeEach(() => sql`truncate subject, fingerprint`);

/** A subject as a process names it that holds these keys, the last of which is current. */
function name(subject: string, versions: readonly number[]): SubjectIdentity {
  const fingerprints = versions.map((version) => ({
    version,
    value: createHash('sha256').update(`${version}:${subject}`).digest(),
  }));
  const current = fingerprints.at(-1);
  if (current === undefined) throw new Error('a process holds at least one key');
  return {
    group: 'g',
    type: 'device',
    fingerprint: current,
    otherFingerprints: fingerprints.slice(0, -1),
    alias: `dev_${randomBytes(8).toString('hex')}`,
    publicId: null,
    sealedId: Buffer.from('sealed'),
  };
}

async function counts() {
  const [row] = await sql<{ subjects: number; aliases: number; orphans: number }[]>`
    select (select count(*)::int from subject) as subjects, (select count(distinct alias)::int from subject) as aliases,
      (select count(*)::int from fingerprint f where not exists (select 1 from subject s where s.id = f.subject_id)) as orphans`;
  return row;
}

describe('a subject', () => {
  it('is made once and found again, in the order asked', async () => {
    const first = await resolveSubjects(sql, [name('b', [1]), name('a', [1])]);
    const again = await resolveSubjects(sql, [name('a', [1]), name('b', [1]), name('c', [1])]);
    expect(again.slice(0, 2)).toEqual([first[1], first[0]]);
    expect(await counts()).toEqual({ subjects: 3, aliases: 3, orphans: 0 });
    expect(await resolveSubjects(sql, [])).toEqual([]);
  });

  it('known under the old key is found under the new one, and from then on by the new one alone', async () => {
    const [old] = await resolveSubjects(sql, [name('a', [1])]);
    expect(await findSubjects(sql, [name('a', [2]), name('a', [1, 2]), name('b', [1, 2])])).toEqual([
      false,
      true,
      false,
    ]);
    expect(await resolveSubjects(sql, [name('a', [1, 2])])).toEqual([old]);
    expect(await resolveSubjects(sql, [name('a', [2]), name('a', [1])])).toEqual([old, old]);
    expect(await findSubjects(sql, [name('a', [2])])).toEqual([true]);
    expect(await counts()).toEqual({ subjects: 1, aliases: 1, orphans: 0 });
  });

  it('that one batch names under the keys before and after a reload is one subject', async () => {
    for (const [before, after] of [
      [[1], [1, 2]],
      [[1, 2], [1]],
      [
        [2, 1],
        [1, 2],
      ],
      [
        [1, 2],
        [2, 3],
      ],
    ] as const) {
      await sql`truncate subject, fingerprint`;
      const found = await resolveSubjects(sql, [
        name('x', before),
        name('a', before),
        name('a', after),
        name('a', before),
      ]);
      expect(new Set(found.slice(1).map(({ id }) => id)).size).toBe(1);
      expect(found).toHaveLength(4);
      expect(await counts()).toEqual({ subjects: 2, aliases: 2, orphans: 0 });
    }
  });
});

describe('a rotation under load', () => {
  it('makes no subject twice, whichever keys the processes that race for it hold', async () => {
    const pools = Array.from({ length: 6 }, () => connect(database.url, { application: 'test', connections: 2 }));
    try {
      // The driver learns the array types with the first answer of a pool.
      await Promise.all(pools.map((pool) => pool`select 1`));
      for (let round = 0; round < 12; round += 1) {
        await sql`truncate subject, fingerprint`;
        // Before, at and after a rotation, and at its end: any two of them share a key.
        const held = round % 2 === 0 ? [[1], [1, 2], [1, 2]] : [[1, 2], [2], [2]];
        const subjects = Array.from({ length: 40 }, (_, index) => `s${index}`);
        const answers = await Promise.all(
          pools.flatMap((pool, process) =>
            [0, 1].map(async (batch) => {
              const mine = subjects.filter((_, index) => (index + process + batch) % 4 !== 0);
              const shuffled = mine.map((item) => [Math.random(), item] as const).sort(([a], [b]) => a - b);
              const order = shuffled.map(([, item]) => item);
              const versions = held[process % held.length] ?? [1];
              const found = await resolveSubjects(
                pool,
                order.map((item) => name(item, versions)),
              );
              return order.map((item, index) => [item, found[index]?.alias] as const);
            }),
          ),
        );
        const aliases = new Map<string, Set<string | undefined>>();
        for (const [item, alias] of answers.flat()) aliases.set(item, (aliases.get(item) ?? new Set()).add(alias));
        for (const seen of aliases.values()) expect(seen.size).toBe(1);
        expect(await counts()).toEqual({ subjects: 40, aliases: 40, orphans: 0 });
      }
    } finally {
      await Promise.all(pools.map((pool) => pool.end()));
    }
  });
});
