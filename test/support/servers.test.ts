import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Redis } from 'ioredis';
import postgres from 'postgres';
import { afterAll, describe, expect, it } from 'vitest';
import { startTestPostgres, startTestRedis } from './servers.ts';
import { sharedPostgresUrl, sharedRedisUrl } from './shared-servers.ts';
import { cloneDatabase, prepareTemplate } from './test-database.ts';

const opened: postgres.Sql[] = [];
const open = (url: string): postgres.Sql => {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  opened.push(sql);
  return sql;
};
afterAll(() => Promise.all(opened.map((sql) => sql.end())));

describe('the servers that tests share', () => {
  it('are one Postgres and one Redis, however often they are asked for', async () => {
    const urls = await Promise.all([sharedPostgresUrl(), sharedPostgresUrl(), sharedRedisUrl(), sharedRedisUrl()]);
    expect(new Set(urls).size).toBe(2);
    const redis = new Redis(await sharedRedisUrl());
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'noeviction']);
    redis.disconnect();
  });

  it('prepare a template once and clone it into databases that know nothing of each other', async () => {
    let prepared = 0;
    const prepare = async (url: string): Promise<void> => {
      prepared += 1;
      const sql = postgres(url, { max: 1 });
      await sql`create table item (n integer)`;
      await sql.end();
    };
    const templates = await Promise.all([prepareTemplate('servers', prepare), prepareTemplate('servers', prepare)]);
    expect(prepared).toBe(1);
    expect(templates[0]).toBe(templates[1]);
    const [one, two] = await Promise.all([cloneDatabase(templates[0]), cloneDatabase(templates[0])]);
    await open(one.url)`insert into item values (1)`;
    expect(await open(two.url)`select n from item`).toEqual([]);
    await one.drop();
    await one.drop();
    await two.drop();
    const left = await open(await sharedPostgresUrl())`select datname from pg_database where datname like 'test_%'`;
    expect(left).not.toContainEqual({ datname: new URL(one.url).pathname.slice(1) });
  });
});

describe('a server of one test', () => {
  it('stops and leaves no folder', async () => {
    const server = await startTestPostgres();
    expect(await open(server.url)`select current_setting('fsync') as fsync`).toEqual([{ fsync: 'off' }]);
    await server.stop();
    expect(existsSync(server.dataDir)).toBe(false);
  });

  it('takes its own Redis settings and can come back on its port', async () => {
    const first = await startTestRedis({ settings: ['--maxmemory-policy', 'allkeys-lru'] });
    const redis = new Redis(first.url);
    expect(await redis.config('GET', 'maxmemory-policy')).toEqual(['maxmemory-policy', 'allkeys-lru']);
    redis.disconnect();
    await first.stop();
    await first.stop();
    const second = await startTestRedis({ port: first.port });
    expect(second.port).toBe(first.port);
    await second.stop();
  });

  it('dies with the process that started it', async () => {
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
    const module = new URL('./servers.ts', import.meta.url).href;
    const code = `const { startTestRedis } = await import(${JSON.stringify(module)});
      console.log((await startTestRedis()).url);`;
    const parent = spawn(process.execPath, ['--import', tsx, '--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      parent.stdout.once('data', (said: Buffer) => resolve(said.toString('utf8').trim()));
      parent.once('exit', () => reject(new Error('the parent ended early')));
    });
    const redis = new Redis(url, { retryStrategy: () => null });
    redis.on('error', () => {});
    await redis.ping();
    const closed = new Promise((resolve) => redis.once('end', resolve));
    parent.kill('SIGKILL');
    await closed;
    redis.disconnect();
  });
});
