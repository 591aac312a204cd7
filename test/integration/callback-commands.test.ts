import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { claimKeyring, connect, reconcileOpenGates, type Sql } from '@tidegate/store';
import { createKeyring, loadKeyring } from '@tidegate/vault';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claim, finish, hand } from '../support/plant-callbacks.ts';
import { plantService } from '../support/plant-service.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { verifies } from '../support/verifies.ts';

const PAYLOAD = createHash('sha256').update('payload').digest();
const HASH = PAYLOAD.toString('hex');
const WHY = ['--reason', 'seen in the books', '--actor', 'ada'];
const HEAD = { seq: expect.any(Number), mac: expect.stringMatching(/^mac_[0-9a-f]{64}$/) };

let database: TestDatabase;
let sql: Sql;
let dataDir: string;

beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test' });
  dataDir = await makeTempFolder('callback-commands');
  await createKeyring(join(dataDir, 'keyring'));
  await claimKeyring(sql, (await loadKeyring(join(dataDir, 'keyring'))).id);
  await plantService(sql, 'agent');
}, 60_000);
afterAll(async () => {
  await sql.end();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(async () => {
  await sql`truncate callback, attempt, ramp, circuit, review, reconciliation, reconciliation_item`;
  await sql`update gate set state = 'open', reason = 'verified'`;
});

function cli(...args: string[]): Promise<CliRun> {
  return runCli(args, {
    DATABASE_URL: database.url,
    TIDEGATE_DATA_DIR: dataDir,
    TIDEGATE_CONFIG: join(dataDir, 'none.yaml'),
  });
}

/** One that nobody knows the outcome of. */
async function unknown(): Promise<string> {
  const id = await hand(sql, { payloadHash: PAYLOAD });
  for (const claimed of await claim(sql)) await finish(sql, claimed, 'unknown');
  await reconcileOpenGates(sql);
  return id;
}

const said = ({ code, stderr }: CliRun) => [code, stderr];
const approve = (id: string, ...more: string[]) =>
  cli('review', 'approve', id, '--payload-hash', HASH, ...WHY, ...more);
const show = async (room: string, id: string) => (await cli(room, 'show', id, '--json')).json();

describe('tidegate callbacks', () => {
  it('lists by service and state, as a table or as pages of JSON', async () => {
    expect(await cli('callbacks', 'list')).toMatchObject({ code: 0, stdout: 'No callbacks.\n' });
    const id = await unknown();
    const queued = await hand(sql);
    expect((await cli('callbacks', 'list', '--state', 'needs_review')).stdout).toMatch(
      new RegExp(
        `^ID .+ REASON\n${id} {2}needs_review {2}\\S+Z {2}agent {4}POST https://receiver.example {2}1 {9}outcome_unknown\n$`,
      ),
    );
    expect((await cli('callbacks', 'list', '--service', 'nobody')).stdout).toBe('No callbacks.\n');
    const first = await cli('callbacks', 'list', '--limit', '1', '--json');
    const { items, nextCursor } = first.json<{ items: object[]; nextCursor: string }>();
    expect(items).toMatchObject([{ id: queued, state: 'queued' }]);
    expect((await cli('callbacks', 'list', '--limit', '1')).stdout).toContain(`\nMore: --cursor ${nextCursor}\n`);
    expect((await cli('callbacks', 'list', '--cursor', nextCursor, '--json')).json()).toMatchObject({
      items: [{ id }],
      nextCursor: null,
    });
    expect((await cli('callbacks', 'list', '--cursor', 'forged')).code).toBe(1);
  });

  it('shows one with its attempts and what reconciliation found', async () => {
    const id = await unknown();
    const { stdout } = await cli('callbacks', 'show', id);
    expect(stdout).toContain(`${id}  needs_review  outcome_unknown\n`);
    expect(stdout).toContain('POST https://receiver.example for agent: unsafe, repeat forbidden\n');
    expect(stdout).toMatch(/\nattempt 1 {2}\S+Z {2}maybe_received {2}reset {2}1 ms\n/);
    expect(stdout).toMatch(/\nreconciliation rec_\w+: ambiguous, outcome_unknown, then review\n/);
    expect(await show('callbacks', id)).toMatchObject({
      id,
      tries: [{ number: 1, phase: 'maybe_received' }],
      reconciliation: { action: 'review' },
    });
    expect(said(await cli('callbacks', 'show', 'cb_nobody'))).toEqual([1, 'There is no callback of this id.\n']);
  });

  it('cancels what waits, and redrives what failed', async () => {
    const id = await hand(sql);
    expect((await cli('callbacks', 'cancel', id, ...WHY, '--json')).json()).toEqual({
      id,
      service: 'agent',
      state: 'cancelled',
      audit: HEAD,
    });
    expect(said(await cli('callbacks', 'cancel', id, ...WHY))).toEqual([
      1,
      'This cannot be ordered of a callback that is cancelled.\n',
    ]);
    const failed = await hand(sql);
    const next = { state: 'failed', reason: 'rejected' } as const;
    for (const claimed of await claim(sql)) await finish(sql, claimed, 'not_sent', { next });
    const redriven = await cli('callbacks', 'redrive', failed, ...WHY);
    expect(redriven.stdout).toMatch(new RegExp(`^${failed} is sent again .+\\.\nAudit row \\d+:mac_[0-9a-f]{64}\n$`));
    expect(await claim(sql)).toMatchObject([{ id: failed, attempt: 2, attempts: 1 }]);
    for (const command of ['cancel', 'redrive'])
      expect(said(await cli('callbacks', command, 'cb_nobody', ...WHY))).toEqual([
        1,
        'There is no callback of this id.\n',
      ]);
  });
});

it(verifies('I3', 'no command about a callback prints anything that was sealed, nor its keys'), async () => {
  const sealed = {
    sealedUrl: Buffer.from('zqurl'),
    sealedHeaders: Buffer.from('zqheaders'),
    sealedBody: Buffer.from('zqbody'),
  };
  const keyed = { keyHash: Buffer.from('zqkeyhash'), orderingHash: Buffer.from('zqordering') };
  const id = await hand(sql, { ...sealed, ...keyed, sealedIdempotencyKey: Buffer.from('zqkey'), payloadHash: PAYLOAD });
  for (const claimed of await claim(sql)) await finish(sql, claimed, 'unknown');
  await reconcileOpenGates(sql);
  const printed: string[] = [];
  for (const args of [
    ['callbacks', 'list'],
    ['callbacks', 'show', id],
    ['review', 'list'],
    ['review', 'show', id],
  ])
    for (const json of [[], ['--json']]) printed.push((await cli(...args, ...json)).stdout);
  for (const order of [
    ['review', 'deny'],
    ['callbacks', 'redrive'],
    ['callbacks', 'cancel'],
  ])
    printed.push((await cli(...order, id, ...WHY, '--json')).stdout);
  expect(printed.filter((text) => !text.includes(id))).toEqual([]);
  const spelt = ['zq', Buffer.from('zq').toString('hex'), '"type":"Buffer"'];
  expect(printed.filter((text) => spelt.some((spelling) => text.includes(spelling)))).toEqual([]);
});

describe('tidegate review', () => {
  it('lists what waits for a person, and shows the evidence with what can be decided', async () => {
    expect((await cli('review', 'list')).stdout).toBe('Nothing waits for a person.\n');
    const id = await unknown();
    const queued = await hand(sql);
    expect(said(await cli('review', 'show', queued))).toEqual([1, expect.stringMatching(/^No callback of this id /)]);
    expect((await cli('review', 'list', '--json')).json()).toMatchObject({ items: [{ id }], nextCursor: null });
    const { stdout } = await cli('review', 'show', id);
    expect(stdout).toContain(`\npayload hash ${HASH}\n`);
    expect(stdout).toMatch(/\nnobody knows its outcome since \S+Z\n/);
    expect(stdout).toContain(`tidegate review approve ${id} --payload-hash ${HASH} --reason`);
    expect(await show('review', id)).toMatchObject({ id, payloadHash: HASH, decisions: [] });
  });

  it(verifies('I7', 'approves one attempt, of the payload that was looked at, until the approval ends'), async () => {
    const id = await unknown();
    const other = ['review', 'approve', id, '--payload-hash', 'f'.repeat(64), ...WHY];
    expect(said(await cli(...other))).toEqual([1, expect.stringMatching(/^The payload hash is not the one /)]);
    expect((await approve(id, '--for', '1ms')).code).toBe(0);
    expect(await claim(sql)).toEqual([]);
    expect((await approve(id, '--json')).json()).toEqual({ id, service: 'agent', state: 'retrying', audit: HEAD });
    expect(said(await approve(id))).toEqual([1, 'This cannot be ordered of a callback that is retrying.\n']);
    const claimed = await claim(sql);
    expect(claimed.map((callback) => callback.id)).toEqual([id]);
    for (const one of claimed) await finish(sql, one, 'unknown');
    await reconcileOpenGates(sql);
    const { stdout } = await cli('review', 'show', id);
    expect(stdout).toMatch(/\napproved \S+Z by ada: seen in the books {2}\(until \S+Z, unused\)\n/);
    expect(stdout).toMatch(/\napproved \S+Z by ada: seen in the books {2}\(until \S+Z, used \S+Z\)\n/);
  });

  it.each([
    ['deny', 'failed', /^Denied: /],
    ['complete', 'delivered', /^Marked complete: /],
  ] as const)('ends one by %s', async (command, state, sentence) => {
    const id = await unknown();
    expect(await cli('review', command, id, ...WHY)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(sentence),
    });
    expect(await show('review', id)).toMatchObject({ state, decisions: [{ decision: command, actor: 'ada' }] });
    expect(said(await cli('review', command, id, ...WHY))).toEqual([
      1,
      `This cannot be ordered of a callback that is ${state}.\n`,
    ]);
  });

  it('lets nothing out again after its deadline, or without its content', async () => {
    const id = await unknown();
    await sql`update callback set deadline_at = clock_timestamp()`;
    expect(said(await approve(id))).toEqual([1, expect.stringMatching(/^Its deadline has passed/)]);
    await cli('review', 'deny', id, ...WHY);
    await sql`update callback set deadline_at = null, sealed_url = ''`;
    expect(said(await cli('callbacks', 'redrive', id, ...WHY))).toEqual([
      1,
      'What would be sent is not kept any more.\n',
    ]);
  });
});
