import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { claimKeyring, connect, type Sql } from '@tidegate/store';
import { createKeyring, loadKeyring } from '@tidegate/vault';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backdate } from '../support/backdate.ts';
import { clearCorrelation, plantFleet, report } from '../support/plant-fleet.ts';
import { runCli } from '../support/run-cli.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

let database: TestDatabase;
let sql: Sql;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  dataDir = await makeTempFolder('replay');
  await createKeyring(join(dataDir, 'keyring'));
  await claimKeyring(sql, (await loadKeyring(join(dataDir, 'keyring'))).id);
  await writeFile(join(dataDir, 'tidegate.yaml'), 'sources: [{ name: home-lab }]\n');
  await clearCorrelation(sql);
  const fleet = await plantFleet(sql, { devices: 2 });
  const tell = async (index: number, status: 'connected' | 'disconnected', agoMs: number) => {
    await report(sql, fleet, [{ subjectId: fleet.devices[index]?.id ?? 0, status, agoMs }]);
    await backdate(sql, new Date(Date.now() - agoMs));
  };
  // One device drops for half a minute, the other for good; something else happened long before.
  await tell(0, 'connected', 90_000_000);
  await tell(0, 'disconnected', 3_000_000);
  await tell(0, 'connected', 2_970_000);
  await tell(1, 'disconnected', 1_000_000);
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});

async function replay(policy: string, ...flags: string[]) {
  const file = join(dataDir, 'proposed.yaml');
  await writeFile(file, policy);
  return runCli(['replay', '--policy', file, '--since', '2h', ...flags], {
    DATABASE_URL: database.url,
    TIDEGATE_DATA_DIR: dataDir,
    TIDEGATE_CONFIG: join(dataDir, 'tidegate.yaml'),
  });
}

const CALMER = 'policies:\n  default: { openAfter: 1m }\n';

describe('tidegate replay', () => {
  it('tells what other thresholds would have opened, and changes nothing', async () => {
    const tables = () => sql`
      select (select count(*)::int from incident) as incidents, (select count(*)::int from blip) as blips,
        (select array_agg(p order by p.group_id)::text from pending p) as pending, (select array_agg(c order by c.subject_id)::text from connectivity c) as views`;
    const before = await tables();
    const run = await replay(CALMER, '--json');
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const answer = run.json<{ differences: { change: string }[] }>();
    expect(answer).toMatchObject({
      observations: 3,
      current: { pages: 2, blips: [] },
      proposed: { pages: 1, blips: [{ group: 'dev_homelab1' }] },
    });
    expect(answer.differences.map(({ change }) => change)).toEqual(['only_current', 'changed']);
    expect(await tables()).toEqual(before);
  });

  it('prints a table, and differs in nothing under the policies in effect', async () => {
    const { stdout } = await replay(CALMER);
    expect(stdout).toMatch(/^- dev_homelab1 .* no incident$/m);
    expect(stdout).toContain('proposed:  1 incident(s), 1 page(s), 1 blip(s)');
    const same = (await replay('policies: { default: {} }\n', '--json')).json<{ differences: { change: string }[] }>();
    expect(same.differences.map(({ change }) => change)).toEqual(['same', 'same']);
  });

  it('plays only the time that it is asked for', async () => {
    const { current } = (await replay(CALMER, '--until', '30m', '--json')).json<{ current: { pages: number } }>();
    expect(current.pages).toBe(1);
  });

  it('refuses thresholds with the errors of the config, and times that are none', async () => {
    const wrong = await replay('policies:\n  default:\n    openAfter: 3m\n');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/proposed\.yaml:2: policies\.default\.maxWait: must not be shorter than openAfter/);
    expect((await replay('sources: []\n')).stderr).toContain('sources: is not a key that is known here');
    expect((await replay(CALMER, '--until', 'tomorrow')).code).toBe(2);
  });

  it('refuses what could only be answered with nothing: no thresholds, a policy nobody has, a time that is over before it begins', async () => {
    for (const nothing of ['', '{}\n', 'policies: {}\n', 'mass: {}\n']) {
      const empty = await replay(nothing);
      expect([nothing, empty.code, empty.stdout]).toEqual([nothing, 2, '']);
      expect(empty.stderr).toContain('gives no thresholds');
    }
    const misspelt = await replay('policies:\n  defualt: { openAfter: 5s }\n');
    expect([misspelt.code, misspelt.stdout]).toEqual([2, '']);
    expect(misspelt.stderr).toMatch(/^No service has the policy defualt: /);
    for (const times of [
      ['--until', '3h'],
      ['--since', '2099-01-01'],
    ]) {
      const backwards = await replay(CALMER, ...times);
      expect([times, backwards.code, backwards.stdout]).toEqual([times, 2, '']);
      expect(backwards.stderr).toMatch(/^That time ends before it begins/);
    }
    expect((await replay('mass: { minDevices: 2 }\n')).code).toBe(0);
  });

  it('says in its help what is assumed', async () => {
    const { stdout } = await runCli(['replay', '--help'], {});
    expect(stdout).toContain('is over once its verification passes');
    expect(stdout).toContain('Example:\n  tidegate replay');
  });
});
