import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { claimKeyring, connect, type Sql } from '@tidegate/store';
import { createKeyring, loadKeyring } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHalfOpenProxy } from '../support/half-open-proxy.ts';
import { hand } from '../support/plant-callbacks.ts';
import { deliver, type PlantedService, plantService } from '../support/plant-service.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
let sql: Sql;
let dataDir: string;
let planted: PlantedService;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  dataDir = await makeTempFolder('lists');
  await createKeyring(join(dataDir, 'keyring'));
  await claimKeyring(sql, (await loadKeyring(join(dataDir, 'keyring'))).id);
  planted = await plantService(sql, 'agent');
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

/** What the command that runs now has printed so far. */
let shown = '';

function cli(...args: string[]): Promise<CliRun> {
  shown = '';
  const env = {
    DATABASE_URL: database.url,
    TIDEGATE_DATA_DIR: dataDir,
    TIDEGATE_CONFIG: join(dataDir, 'none.yaml'),
  };
  return runCli(args, env, (text) => {
    shown += text;
  });
}

/** Watches until `act` is through and its last text was printed, then interrupts as Ctrl-C does. */
async function watch(
  args: readonly string[],
  act: (sees: (text: string) => Promise<void>) => Promise<void>,
): Promise<CliRun> {
  const listeners = process.listenerCount('SIGINT');
  const running = cli(...args, '--watch');
  try {
    await act(async (text) => {
      await until(
        `printing ${text}`,
        () => shown,
        (all) => all.includes(text),
      );
    });
  } finally {
    process.emit('SIGINT');
  }
  const run = await running;
  expect(process.listenerCount('SIGINT')).toBe(listeners);
  return run;
}

/** Waits until the command has asked the database anew. */
async function oneMoreLook(): Promise<void> {
  const lastAsked = async () => {
    const [row] = await sql<{ at: string }[]>`select max(query_start)::text as at from pg_stat_activity
      where application_name = 'tidegate-cli' and datname = current_database()`;
    return row?.at;
  };
  const before = await lastAsked();
  await until('another look', lastAsked, (at) => at !== undefined && at !== before);
}

const shut = () => deliver(sql, planted, { status: 'disconnected' });

describe('lists', () => {
  it('are tables with a head, in no colour where nobody sees it', async () => {
    const { stdout } = await cli('gate', 'list');
    expect(stdout).toMatch(/^SERVICE {2}STATE {2}REASON +SINCE\nagent {4}held {3}never_verified {2}\S+Z\n$/);
    expect((await cli('incidents', 'list')).stdout).toBe('No incidents.\n');
    const services = (await cli('services', 'list')).stdout;
    expect(services).toMatch(
      /^SERVICE +GATE +VERDICT +BROKEN +DEVICE +TUNNEL +SOURCE\nagent +held +never verified +- /,
    );
    expect(services).not.toContain('\u001b');
  });

  it('services list tells the gate with each, as JSON too', async () => {
    const list = (await cli('services', 'list', '--json')).json();
    expect(list).toMatchObject({
      items: [{ name: 'agent', lastVerification: null, gate: { state: 'held', reason: 'never_verified' } }],
      nextCursor: null,
    });
    expect((await cli('services', 'list', '--source', 'elsewhere')).stdout).toBe(
      'No services: name some in the config.\n',
    );
  });

  it('services list names devices and tunnels, those whose gate lets nothing out first', async () => {
    await sql`
      with calm as (
        insert into service (name, source_name, group_name, policy_name, tunnel_id, open_after_ms, max_wait_ms, verify_every_ms, probe_hash)
        values ('a-calm-one', 's', 'g', 'default', ${planted.tunnelId}, 1, 1, 1, 'x') returning id)
      insert into gate (service_id, state, reason, generation, since) select id, 'open', 'verified', 1, now() from calm`;
    await sql`update subject set name = 'cellar' where id = ${planted.tunnelId}`;
    const rows = (await cli('services', 'list')).stdout.split('\n').slice(1, 3);
    await sql`delete from gate where service_id = (select id from service where name = 'a-calm-one')`;
    await sql`delete from service where name = 'a-calm-one'`;
    expect(rows).toEqual([
      expect.stringMatching(/^agent +held /),
      expect.stringMatching(/^a-calm-one +open .* cellar /),
    ]);
  });

  it('incidents list filters by state, kind and service', async () => {
    await sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_a', 'tunnel', ${planted.tunnelId}, now(), 'Tunnel is down.')`;
    await sql`insert into incident_service values ('inc_a', ${planted.serviceId})`;
    for (const [flag, hit, miss] of [
      ['--state', 'open', 'resolved'],
      ['--kind', 'tunnel', 'mass'],
      ['--service', 'agent', 'nobody'],
    ] as const) {
      expect((await cli('incidents', 'list', flag, hit)).stdout).toContain('inc_a  open   tunnel');
      expect((await cli('incidents', 'list', flag, miss)).stdout).toBe('No incidents.\n');
    }
    await sql`delete from incident_service`;
    await sql`delete from incident`;
  });
});

describe('--watch', () => {
  it('prints what changes where there is no terminal, and ends cleanly at Ctrl-C', async () => {
    const run = await watch(['gate', 'list'], async (sees) => {
      await sees('never_verified');
      await shut();
      await sees('disconnected');
    });
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toMatch(
      /^SERVICE .*\nagent .*never_verified.*\n\S+Z {2}agent {2}held {2}disconnected {2}\S+Z\n$/,
    );
  });

  it('prints each state as one line of JSON, and nothing while nothing changes', async () => {
    const run = await watch(['incidents', 'list', '--json'], async (sees) => {
      await sees('"items":[]');
      for (let looks = 0; looks < 3; looks += 1) await oneMoreLook();
      await sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_b', 'tunnel', ${planted.tunnelId}, now(), 'Tunnel is down.')`;
      await sees('inc_b');
      await sql`delete from incident`;
      await until(
        'the third line',
        () => shown.trim().split('\n').length,
        (lines) => lines === 3,
      );
    });
    expect(
      run.stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { items: unknown[] }).items.length),
    ).toEqual([0, 1, 0]);
  });

  it('follows callbacks, and those that wait for a person', async () => {
    const id = await hand(sql);
    const run = await watch(['callbacks', 'list'], async (sees) => {
      await sees('held');
      await sql`update callback set state = 'needs_review' where id = ${id}`;
      await sees('needs_review');
    });
    expect(run.stdout).toMatch(
      new RegExp(`^ID .+ REASON\\n${id} .+\\n\\S+Z {2}${id} {2}needs_review {2}\\S+Z {2}agent {2}POST `),
    );
    const reviews = await watch(['review', 'list'], async (sees) => {
      await sees(id);
      await sql`delete from callback`;
      await sees('Nothing waits for a person.');
    });
    expect(reviews.stdout).toContain(`${id}  is gone from the list`);
  });

  it('says what has gone from the list', async () => {
    await sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_c', 'tunnel', ${planted.tunnelId}, now(), 'Tunnel is down.')`;
    const run = await watch(['incidents', 'list'], async (sees) => {
      await sees('inc_c');
      await sql`delete from incident`;
      await sees('No incidents.');
    });
    expect(run.stdout).toMatch(/\S+Z {2}inc_c {2}is gone from the list\nNo incidents\.\n$/);
  });

  it('ends at Ctrl-C also while the database hangs', async () => {
    const { port } = new URL(database.url);
    const proxy = await startHalfOpenProxy(Number(port));
    const through = new URL(database.url);
    through.port = String(proxy.port);
    const listeners = process.listenerCount('SIGINT');
    shown = '';
    const running = runCli(
      ['gate', 'list', '--watch'],
      { DATABASE_URL: through.href, TIDEGATE_DATA_DIR: dataDir },
      (text) => {
        shown += text;
      },
    );
    await until(
      'the first look',
      () => shown,
      (all) => all.includes('agent'),
    );
    proxy.freeze();
    await until(
      'a look that hangs',
      async () =>
        (
          await sql<
            { idle: boolean }[]
          >`select clock_timestamp() - max(state_change) > interval '1200 milliseconds' as idle
        from pg_stat_activity where application_name = 'tidegate-cli'`
        )[0]?.idle,
      (idle) => idle === true,
    );
    const startedAtMs = performance.now();
    process.emit('SIGINT');
    expect((await running).code).toBe(0);
    expect(performance.now() - startedAtMs).toBeLessThan(8000);
    expect(process.listenerCount('SIGINT')).toBe(listeners);
    await proxy.close();
  });

  it('outlives connections that end', async () => {
    const end = () =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidegate-cli'`;
    const run = await watch(['gate', 'list'], async (sees) => {
      await sees('agent');
      await end();
      await sql`update gate set reason = 'flapping'`;
      await sees('flapping');
    });
    expect(run.code).toBe(0);
  });
});
