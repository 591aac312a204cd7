import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type HalfOpenProxy, startHalfOpenProxy } from '../../../../test/support/half-open-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { until } from '../../../../test/support/until.ts';
import { connect, type Sql } from './connect.ts';
import { migrate } from './migrate.ts';

const SILENCE_MS = 300;
/** The lock that whoever migrates holds. */
const LOCK = 7_413_001;

let database: TestDatabase;
let proxy: HalfOpenProxy;
let url: string;
let sql: Sql;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startHalfOpenProxy(Number(new URL(database.url).port));
  url = Object.assign(new URL(database.url), { port: String(proxy.port) }).href;
  sql = connect(database.url, { application: 'test' });
});
afterAll(async () => {
  proxy?.abandon();
  await proxy?.close();
  await sql?.end({ timeout: 1 });
  await database?.drop();
});

/** Migrates while another session does; `end` ends that one. */
async function meanwhile(silenceMs: number) {
  const other = await sql.reserve();
  await other`select pg_advisory_lock(${LOCK})`;
  const end = async () => {
    await other`select pg_advisory_unlock(${LOCK})`;
    other.release();
  };
  const outcome = migrate(url, silenceMs).then(
    ({ applied }) => applied,
    (error: unknown) => error,
  );
  const asked = () => sql`
    select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'postgres.js' and query like '%advisory_lock%'`;
  await until('it asked for the lock', asked, ({ length }) => length > 0);
  return { outcome, end };
}

describe('migrating', () => {
  it('waits for whoever else does, however long that takes', async () => {
    const { outcome, end } = await meanwhile(SILENCE_MS);
    expect(await Promise.race([outcome, delay(SILENCE_MS * 4, 'waiting')])).toBe('waiting');
    await end();
    expect(await outcome).toBe(0);
  });

  it('may take its time to apply something', async () => {
    const own = await createTestDatabase();
    const over = connect(own.url, { application: 'test' });
    onTestFinished(async () => {
      await over.end({ timeout: 1 });
      await own.drop();
    });
    await over`drop schema public cascade`;
    await over`drop schema drizzle cascade`;
    await over`create schema public`;
    let outcome: Promise<number> | undefined;
    // The same name, not yet there for anyone else: creating it waits.
    await over.begin(async (tx) => {
      await tx`create schema drizzle`;
      outcome = migrate(own.url, SILENCE_MS).then(({ applied }) => applied);
      outcome.catch(() => undefined);
      const waiting = () => over`select 1 from pg_locks where not granted`;
      await until('it waits', waiting, ({ length }) => length > 0);
      expect(await Promise.race([outcome, delay(SILENCE_MS * 4, 'applying')])).toBe('applying');
      await tx`drop schema drizzle`;
    });
    expect(await outcome).toBeGreaterThan(0);
  });

  it('gives up on a server that accepts and closes at once', async () => {
    let connections = 0;
    const closing = createServer((socket) => {
      connections += 1;
      socket
        .on('error', () => undefined)
        .resume()
        .end();
    });
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void closing.close());
    const address = closing.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const refused = { code: 'store_unavailable', detail: 'ECONNRESET', retryable: true };
    await expect(migrate(`postgres://a:b@127.0.0.1:${port}/c`)).rejects.toMatchObject(refused);
    expect(connections).toBe(1);
  });

  it('gives up on a server that has fallen silent', async () => {
    const { outcome, end } = await meanwhile(SILENCE_MS);
    proxy.abandon();
    expect(await outcome).toMatchObject({ code: 'store_unavailable', retryable: true });
    await end();
  });
});
