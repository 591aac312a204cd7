import { createServer, connect as dial, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { until } from '../../../../test/support/until.ts';
import { connect, type Sql } from './connect.ts';

/** More than the server says until a first query has its answer. */
const WHOLE_START = 20_000;
const STEP = 400;

let database: TestDatabase;
let server: Server;
let url: string;
/** The first connection is cut after so many bytes of the server; those after it pass. */
let cutAfter: number;
let connections: Socket[];
/** What listens is there, but nothing behind it: connections are accepted, and closed before a byte. */
let away: boolean;

beforeAll(async () => {
  database = await createTestDatabase();
  const { port } = new URL(database.url);
  server = createServer((near) => {
    const isFirst = connections.push(near) === 1;
    if (away)
      return void near
        .on('error', () => undefined)
        .resume()
        .end();
    const far = dial(Number(port), '127.0.0.1');
    let left = isFirst ? cutAfter : Number.POSITIVE_INFINITY;
    near.pipe(far);
    far.on('data', (chunk: Buffer) => {
      near.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left <= 0) near.end();
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => undefined).once('close', () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const near = typeof address === 'object' && address !== null ? address.port : 0;
  url = Object.assign(new URL(database.url), { port: String(near) }).href;
});
beforeEach(() => {
  connections = [];
  away = false;
  cutAfter = Number.POSITIVE_INFINITY;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await database.drop();
});

const open = (size = 1): Sql => {
  const sql = connect(url, { application: 'test', connections: size });
  onTestFinished(() => sql.end({ timeout: 1 }));
  return sql;
};
const ask = (sql: Sql) => sql<{ words: string[] }[]>`select ${['a', 'b']}::text[] as words`;

describe('a pool', () => {
  it('understands an array in the very first query of each connection', async () => {
    const sql = open(3);
    const answers = await Promise.all([ask(sql), ask(sql), ask(sql)]);
    expect(answers.map(([row]) => row?.words)).toEqual([
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  // An error that nobody handles ends a process, and this test run with it.
  it('outlives a connection that is lost at any moment of its start', async () => {
    for (cutAfter = 1; cutAfter < WHOLE_START; cutAfter += STEP) {
      connections = [];
      const sql = connect(url, { application: 'test', connections: 1 });
      const codes: unknown[] = [];
      const refused = (error: unknown) => {
        codes.push(Reflect.get(Object(error), 'code'));
        return null;
      };
      const answers = [await ask(sql).catch(refused), await ask(sql).catch(refused), await ask(sql).catch(refused)];
      // Whichever the cut meets, the one after it has a connection of its own.
      if (answers.at(-1) === null) answers.push(await ask(sql));
      expect(answers.at(-1)?.[0]?.words).toEqual(['a', 'b']);
      expect([[], ['CONNECTION_CLOSED']]).toContainEqual(codes);
      await sql.end({ timeout: 1 });
    }
  });

  it('tells each statement of a transaction that its connection is lost, and goes on with another', async () => {
    const sql = open();
    const codes: unknown[] = [];
    const work = sql.begin(async (tx) => {
      await tx`select 1`;
      for (const socket of connections) socket.destroy();
      while (codes.length < 3) await tx`select 2`.catch((error) => codes.push(error.code));
    });
    await expect(work).rejects.toMatchObject({ code: 'CONNECTION_CLOSED' });
    // The work is given up at the first loss, and not ended: what it still asks for must be refused too.
    await until(
      'it has heard',
      () => codes.length,
      (count) => count === 3,
    );
    expect(new Set(codes)).toEqual(new Set(['CONNECTION_CLOSED']));
    expect(await sql`select 4 as four`).toEqual([{ four: 4 }]);
  });

  it('refuses a query when its connection is accepted and closed at once, and comes back when the server does', async () => {
    away = true;
    const sql = open();
    for (const tries of [1, 2, 3]) {
      await expect(ask(sql)).rejects.toMatchObject({ code: 'ECONNRESET' });
      expect(connections).toHaveLength(tries);
    }
    away = false;
    expect((await ask(sql))[0]?.words).toEqual(['a', 'b']);
  });
});
