import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../test/support/verifies.ts';
import { listLaunchers } from './choose-launcher.ts';
import { findFreePort } from './find-free-port.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './start-embedded-postgres.ts';

// mkdtemp makes 0700 folders, so as root every test here also runs below a closed folder.
let dataDir: string;
let server: EmbeddedPostgres;

async function query<T>(url: string, run: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return await run(sql);
  } finally {
    await sql.end();
  }
}

beforeAll(async () => {
  dataDir = join(await mkdtemp(join(tmpdir(), 'tidegate-embedded-')), 'data', 'postgres');
  server = await startEmbeddedPostgres({ dataDir });
});
afterAll(async () => {
  await server.stop();
  await rm(join(dataDir, '..', '..'), { recursive: true, force: true });
});

describe('a running embedded Postgres', () => {
  it(verifies('I1', 'syncs every commit, and gives its app no more than one role and one database'), async () => {
    const rows = await query(
      server.url,
      (sql) =>
        sql`select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, current_database() as database,
        current_setting('full_page_writes') as pages, current_setting('is_superuser') as superuser, pg_encoding_to_char(encoding) as encoding
        from pg_database where datname = current_database()`,
    );
    expect(rows[0]).toEqual({
      fsync: 'on',
      commit: 'on',
      pages: 'on',
      superuser: 'off',
      database: 'tidegate',
      encoding: 'UTF8',
    });
  });

  it('lets nobody in without its password, nor as superuser', async () => {
    const { password } = new URL(server.url);
    for (const credentials of [{ password: 'wrong' }, { password, username: 'postgres' }]) {
      const url = Object.assign(new URL(server.url), credentials).href;
      await expect(query(url, (sql) => sql`select 1`)).rejects.toMatchObject({ code: expect.stringMatching(/^28/) });
    }
    expect((await stat(join(dataDir, 'postgres-password.secret'))).mode & 0o777).toBe(0o600);
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  });

  it(verifies('I3', 'writes nothing about statements into its log, not even failing ones'), async () => {
    const canary = 'canary-4711';
    await query(server.url, async (sql) => {
      await expect(sql`select ${canary}::text::integer`).rejects.toThrow('invalid input syntax');
      await expect(sql.unsafe(`select '${canary}'::uuid`)).rejects.toThrow('invalid input syntax');
      await sql.unsafe(`create table spoken (word text primary key); insert into spoken values ('${canary}')`);
      await expect(sql`insert into spoken values (${canary})`).rejects.toThrow('duplicate key');
    });
    expect(await readFile(join(dataDir, 'postgres.log'), 'utf8')).not.toContain(canary);
  });

  it('refuses a second start on its folder', async () => {
    await expect(startEmbeddedPostgres({ dataDir })).rejects.toMatchObject({ code: 'data_folder_in_use' });
  });

  it(verifies('I1', 'comes back on the same port with every committed row after kill -9'), async () => {
    await query(server.url, (sql) => sql.unsafe('create table kept (n integer); insert into kept values (1), (2)'));
    const { port } = server;
    process.kill(server.pid, 'SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    server = await startEmbeddedPostgres({ dataDir, port });
    expect(server.port).toBe(port);
    expect(await query(server.url, (sql) => sql`select n from kept order by n`)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('stops cleanly, twice if asked, and starts in spite of a lock file that names some other live program', async () => {
    await server.stop();
    await server.stop();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    const other = spawn('sleep', ['60'], { stdio: 'ignore' });
    await writeFile(join(dataDir, 'cluster', 'postmaster.pid'), `${other.pid}\n`);
    server = await startEmbeddedPostgres({ dataDir });
    expect(await query(server.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(other.kill('SIGKILL')).toBe(true);
  });

  it('says in one sentence that a port is taken', async () => {
    await server.stop();
    const port = await findFreePort();
    const other = createServer().listen(port, '127.0.0.1');
    await expect(startEmbeddedPostgres({ dataDir, port })).rejects.toMatchObject({
      code: 'port_in_use',
      publicMessage: expect.stringMatching(
        new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is in use by another program; `),
      ),
    });
    other.close();
    server = await startEmbeddedPostgres({ dataDir, port });
  });

  it('runs in each way that this machine offers, handing the files from one user to the next', async () => {
    await server.stop();
    const uid = process.getuid?.() ?? null;
    const ways: string[] = [];
    for (const launcher of [...listLaunchers(uid, true), ...listLaunchers(uid, false)]) {
      const started = await startEmbeddedPostgres({ dataDir, launchers: [launcher] }).catch((error: Error) => error);
      if (started instanceof Error) {
        expect(started).toMatchObject({ code: expect.stringMatching(/^(no_server_user|unsupported_platform)$/) });
        continue;
      }
      expect(await query(started.url, (sql) => sql`select 1 as one`)).toEqual([{ one: 1 }]);
      await started.stop();
      ways.push(launcher.name);
    }
    expect(ways.length).toBeGreaterThan(0);

    server = await startEmbeddedPostgres({ dataDir });
  });
});

describe('a data folder that cannot serve', () => {
  async function refusal(prepare: (folder: string) => Promise<unknown>): Promise<{ code: string; sentence: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'tidegate-refused-'));
    try {
      await prepare(folder);
      const started = await startEmbeddedPostgres({ dataDir: folder }).catch((error: Error) => error);
      if (!(started instanceof Error)) throw new Error('it started');
      const { code, publicMessage } = started as Error & { code: string; publicMessage: string };
      return { code, sentence: publicMessage.replaceAll(folder, 'FOLDER') };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  const fakeCluster = async (folder: string, version: string): Promise<void> => {
    await mkdir(join(folder, 'cluster', 'global'), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, 'cluster', 'PG_VERSION'), `${version}\n`);
  };

  it('is named when half of it is missing', async () => {
    expect(await refusal((folder) => mkdir(join(folder, 'cluster')))).toEqual({
      code: 'data_folder_corrupt',
      sentence:
        'The Postgres data in FOLDER/cluster is damaged (its PG_VERSION file is missing or unreadable); restore it from a back-up, or move the folder away to begin with an empty store.',
    });
  });

  it('is named when Postgres itself cannot read it', async () => {
    const broken = await refusal(async (folder) => {
      await fakeCluster(folder, '18');
      await writeFile(join(folder, 'cluster', 'postgresql.conf'), '');
      await writeFile(join(folder, 'postgres-password.secret'), 'invented');
    });
    expect(broken).toMatchObject({
      code: 'data_folder_corrupt',
      sentence: expect.stringContaining('FOLDER/postgres.log'),
    });
  });

  it('is named when another PostgreSQL made it', async () => {
    const other = await refusal((folder) => fakeCluster(folder, '15'));
    expect(other.code).toBe('version_mismatch');
    expect(other.sentence).toMatch(/made by PostgreSQL 15, this Tidegate brings PostgreSQL 18/);
  });

  it('is named when its password is lost', async () => {
    expect(await refusal((folder) => fakeCluster(folder, '18'))).toMatchObject({ code: 'password_missing' });
  });

  it('is named when the path leads through a file', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'tidegate-file-')), 'file');
    await writeFile(file, '');
    await expect(startEmbeddedPostgres({ dataDir: join(file, 'data') })).rejects.toMatchObject({
      code: 'data_folder_not_writable',
      publicMessage: `The data folder ${file}/data cannot be used by this user (ENOTDIR); mend its permissions or choose another data folder.`,
    });
    await rm(join(file, '..'), { recursive: true });
  });

  it('leaves no lock behind when it refuses', async () => {
    await refusal(async (folder) => {
      await mkdir(join(folder, 'cluster'));
      await startEmbeddedPostgres({ dataDir: folder }).catch(() => {});
      expect((await readdir(folder)).filter((name) => name.startsWith('owner-'))).toEqual([]);
    });
  });
});
