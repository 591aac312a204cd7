import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Redis } from 'ioredis';
import postgres from 'postgres';

/** What a store holds, by place. */
export type Dump = ReadonlyMap<string, Buffer>;

const SEPARATOR = Buffer.from('\n');

/**
 * Every column of every table in every schema but Postgres' own, as text and, where it is bytea, as the bytes too; and what
 * the server shows of the statements that ran last.
 */
export async function dumpDatabase(url: string): Promise<Dump> {
  const sql = postgres(url, { max: 1, onnotice: () => {}, connection: { application_name: 'dump' } });
  try {
    const dump = new Map<string, Buffer>();
    const columns = await sql<{ schema: string; table: string; column: string; type: string }[]>`
      select c.table_schema as schema, c.table_name as table, c.column_name as column, c.data_type as type
      from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
      where t.table_type = 'BASE TABLE' and c.table_schema not in ('pg_catalog', 'information_schema')`;
    for (const { schema, table, column, type } of columns) {
      const name = sql(column);
      const rows = await sql<{ text: string | null; bytes: Buffer | null }[]>`
        select ${name}::text as text, ${type === 'bytea' ? name : sql`null::bytea`} as bytes from ${sql(schema)}.${sql(table)}`;
      const values = rows.flatMap(({ text, bytes }) => [Buffer.from(text ?? ''), bytes ?? Buffer.alloc(0), SEPARATOR]);
      dump.set(`${schema}.${table}.${column}`, Buffer.concat(values));
    }
    const shown = await sql<{ query: string }[]>`
      select coalesce(query, '') || coalesce(application_name, '') as query from pg_stat_activity`;
    dump.set('pg_stat_activity', Buffer.from(shown.map(({ query }) => query).join('\n')));
    return dump;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Every key of a Redis with its value as Redis stores it, and read by its type; and its dump file, not compressed. */
export async function dumpRedis(port: number): Promise<Dump> {
  const redis = new Redis(port, '127.0.0.1');
  try {
    const dump = new Map<string, Buffer>();
    for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
      const [next, keys] = await redis.scan(cursor, 'COUNT', 500);
      cursor = next;
      for (const key of keys) {
        const stored = (await redis.dumpBuffer(key)) ?? Buffer.alloc(0);
        dump.set(`key ${key}`, Buffer.concat([Buffer.from(`${key}\n${await readValue(redis, key)}\n`), stored]));
      }
    }
    await redis.config('SET', 'rdbcompression', 'no');
    await redis.save();
    const [, folder = ''] = (await redis.config('GET', 'dir')) as string[];
    dump.set('dump.rdb', await readFile(join(folder, 'dump.rdb')));
    return dump;
  } finally {
    redis.disconnect();
  }
}

async function readValue(redis: Redis, key: string): Promise<string> {
  switch (await redis.type(key)) {
    case 'string':
      return (await redis.get(key)) ?? '';
    case 'hash':
      return JSON.stringify(await redis.hgetall(key));
    case 'list':
      return JSON.stringify(await redis.lrange(key, 0, -1));
    case 'set':
      return JSON.stringify(await redis.smembers(key));
    case 'zset':
      return JSON.stringify(await redis.zrange(key, '0', '-1', 'WITHSCORES'));
    case 'stream':
      return JSON.stringify(await redis.xrange(key, '-', '+'));
    default:
      return '';
  }
}

/** Every file below a folder but those that `leaveOut` names by their path in it. What vanishes meanwhile is passed over. */
export async function readFolder(folder: string, leaveOut: (path: string) => boolean = () => false): Promise<Dump> {
  const files = new Map<string, Buffer>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path);
    if (!entry.isFile() || leaveOut(name)) continue;
    const bytes = await readFile(path).catch(() => null);
    if (bytes !== null) files.set(name, bytes);
  }
  return files;
}
