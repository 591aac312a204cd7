import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createAddressGuard, createCallbackSender } from '@tidegate/outbound';
import { ensureSecretFile } from '@tidegate/runtime';
import { type CallbackReceiver, startCallbackReceiver } from '@tidegate/simulator';
import { claimKeyring, createCallback, listAudit, prune, readCallback } from '@tidegate/store';
import { lookupHash, newId, newSigningSecret } from '@tidegate/vault';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { applyConfig } from '../../apps/worker/src/apply-config.ts';
import { releaseRoom } from '../../apps/worker/src/release/release-room.ts';
import type { WorkerContext } from '../../apps/worker/src/worker-context.ts';
import { verifyWebhook } from '../../packages/outbound/test/verify-webhook.ts';
import { makeReleaseRoom } from '../support/make-release-room.ts';
import { makeWorkerContext, plainService } from '../support/make-worker-context.ts';
import { type CliRun, runCli } from '../support/run-cli.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const RETRY = { attempts: 8, baseDelayMs: 20, maxDelayMs: 50, maxElapsedMs: 60_000 };
const WHY = ['--reason', 'yearly change', '--actor', 'ada'];
const FILE = 'signing-secret-agent';

let database: TestDatabase;
let context: WorkerContext;
let dataDir: string;
let receivers: CallbackReceiver[];
let work: () => Promise<void>;
const logged: string[] = [];
const closing: (() => Promise<unknown>)[] = [];

/** One worker, which runs through all of it. */
beforeAll(async () => {
  database = await createTestDatabase();
  receivers = [await startCallbackReceiver(), await startCallbackReceiver()];
  const made = await makeWorkerContext({
    databaseUrl: database.url,
    localtonet: null,
    services: [plainService('agent', null, '298487')],
    policy: { release: { canary: 1, maxPerSecond: 100, retry: RETRY } },
    log: (line) => logged.push(line),
  });
  dataDir = made.dataDir;
  const callbacks = createCallbackSender({ guard: createAddressGuard({ allowPrivate: ['127.0.0.1/32'], denied: [] }) });
  context = { ...made.context, callbacks };
  const { room, idle, stop } = makeReleaseRoom(context);
  work = async () => {
    await releaseRoom(room);
    await idle();
  };
  closing.push(...receivers.map((receiver) => receiver.close), stop, callbacks.close, made.close, database.drop);
  await claimKeyring(context.sql, context.keyring.id);
});
afterAll(async () => {
  for (const close of closing) await close();
});
beforeEach(async () => {
  const { sql } = context;
  await sql`truncate callback, attempt, ramp, circuit, signing_secret`;
  await ensureSecretFile(dataDir, FILE, newSigningSecret);
  await applyConfig(context, dataDir);
  await sql`update gate set state = 'open', reason = 'verified'`;
});

const inFile = async () => (await readFile(join(dataDir, FILE), 'utf8')).trim();

function cli(...args: string[]): Promise<CliRun> {
  return runCli(['signing-secrets', ...args], {
    DATABASE_URL: database.url,
    TIDEGATE_DATA_DIR: dataDir,
    TIDEGATE_CONFIG: join(dataDir, 'none.yaml'),
  });
}

async function rotate(...more: string[]): Promise<string> {
  const run = await cli('rotate', 'agent', ...WHY, '--yes', '--json', ...more);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.json<{ secret: string }>().secret;
}

async function hand(receiver: CallbackReceiver): Promise<string> {
  const { sql, sealer, keyring } = context;
  await sealer.ready();
  const row = newId('cb');
  await createCallback(sql, {
    id: row,
    service: 'agent',
    keyHash: lookupHash(keyring, 'idempotency-key', row),
    payloadHash: lookupHash(keyring, 'payload', row),
    method: 'POST',
    origin: receiver.url,
    safety: 'unsafe',
    repeat: 'deduplicated',
    sealedUrl: sealer.seal(`${receiver.url}/done`, { row, purpose: 'callback-url' }),
    sealedHeaders: sealer.seal('{}', { row, purpose: 'callback-headers' }),
    sealedBody: sealer.seal('{"done":true}', { row, purpose: 'callback-body' }),
    sealedIdempotencyKey: sealer.seal(row, { row, purpose: 'callback-idempotency-key' }),
    deadlineAt: null,
    orderingHash: null,
    status: null,
    passesHeld: false,
  });
  return row;
}

/** What arrives of a callback that is handed over now, once it is delivered. */
async function send(receiver = receivers[0] as CallbackReceiver) {
  const id = await hand(receiver);
  const state = async () => {
    await work();
    return (await readCallback(context.sql, id, null))?.state;
  };
  await until('it is delivered', state, (now) => now === 'delivered');
  const requests = receiver.requests.filter(({ headers }) => headers['webhook-id'] === id);
  const last = requests.at(-1);
  if (last === undefined) throw new Error('nothing arrived');
  const accepts = (...secrets: string[]) => secrets.map((secret) => verifyWebhook(secret, last));
  return { id, requests, last, accepts };
}

describe('rotating a signing secret', () => {
  it('signs with both while they overlap, newest first, and with the new one alone once the old is retired', async () => {
    const old = await inFile();
    expect((await send()).accepts(old)).toEqual([true]);
    const fresh = await rotate();
    const overlapping = await send();
    expect(overlapping.accepts(old, fresh)).toEqual([true, true]);
    const signatures = String(overlapping.last.headers['webhook-signature']).split(' ');
    expect(signatures).toHaveLength(2);
    const first = { ...overlapping.last.headers, 'webhook-signature': signatures[0] };
    expect(verifyWebhook(fresh, { headers: first, body: overlapping.last.body })).toBe(true);
    expect((await cli('retire', 'agent', ...WHY)).code).toBe(0);
    const after = await send();
    expect(after.accepts(old, fresh)).toEqual([false, true]);
    expect(after.last.headers['webhook-signature']).not.toContain(' ');
  });

  it('keeps the webhook-id of a callback over its attempts, whatever signs each of them', async () => {
    const [receiver] = receivers;
    receiver?.behaveNext({ kind: 'commit_then_fail' });
    const old = await inFile();
    const id = await hand(receiver as CallbackReceiver);
    await work();
    const fresh = await rotate();
    const seen = () => receiver?.requests.filter(({ headers }) => headers['webhook-id'] === id) ?? [];
    await until(
      'the second attempt',
      () => work().then(seen),
      (requests) => requests.length === 2,
    );
    expect(seen().map(({ idempotencyKey }) => idempotencyKey)).toEqual([id, id]);
    expect(seen().map((request) => [old, fresh].map((secret) => verifyWebhook(secret, request)))).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  it('ends the old one by itself after a given overlap, and forgets it', async () => {
    const old = await inFile();
    const fresh = await rotate('--overlap', '2h');
    expect((await send()).accepts(old, fresh)).toEqual([true, true]);
    const { items } = (await cli('list', '--json')).json<{ items: { endsAt: string | null }[] }>();
    expect(items.map(({ endsAt }) => endsAt !== null)).toEqual([false, true]);
    await context.sql`update signing_secret set ends_at = clock_timestamp() where ends_at is not null`;
    expect((await send()).accepts(old, fresh)).toEqual([false, true]);
    expect((await cli('list', '--json')).json<{ items: unknown[] }>().items).toHaveLength(1);
    await prune(context.sql, context.config.retention);
    const kept = await context.sql`select length(sealed_secret) > 0 as kept from signing_secret order by id`;
    expect(kept).toEqual([{ kept: false }, { kept: true }]);
  });

  it('is refused while two sign, and of a service that is not there', async () => {
    await rotate();
    const second = await cli('rotate', 'agent', ...WHY, '--yes');
    expect([second.code, second.stderr]).toEqual([
      1,
      'Two secrets sign for agent already: retire the older one first.\n',
    ]);
    expect((await cli('rotate', 'nobody', ...WHY, '--yes')).stderr).toBe('There is no service nobody.\n');
    await cli('retire', 'agent', ...WHY);
    expect((await cli('retire', 'agent', ...WHY)).stderr).toContain('nothing is being rotated');
  });
});

describe('a destination with a secret of its own', () => {
  it('is signed for with it, and the others are not', async () => {
    const [own, other] = receivers as [CallbackReceiver, CallbackReceiver];
    const shared = await inFile();
    const fresh = await rotate('--destination', `${own.url}/anything`);
    expect((await send(own)).accepts(shared, fresh)).toEqual([true, true]);
    expect((await send(other)).accepts(shared, fresh)).toEqual([true, false]);
    expect((await cli('retire', 'agent', '--destination', own.url, ...WHY)).code).toBe(0);
    expect((await send(own)).accepts(shared, fresh)).toEqual([false, true]);
    expect((await send(other)).accepts(shared, fresh)).toEqual([true, false]);
    expect(await inFile()).toBe(shared);
  });
});

describe('what is given from outside', () => {
  it('the file gets the new secret, and a restart changes nothing', async () => {
    const old = await inFile();
    const fresh = await rotate();
    expect(await inFile()).toBe(fresh);
    expect((await stat(join(dataDir, FILE))).mode & 0o777).toBe(0o600);
    await applyConfig(context, dataDir);
    expect((await send()).accepts(old, fresh)).toEqual([true, true]);
    await cli('retire', 'agent', ...WHY);
    await applyConfig(context, dataDir);
    expect((await send()).accepts(old, fresh)).toEqual([false, true]);
  });

  it('a config that gives another one begins a rotation, and a retired one stays retired', async () => {
    const [old, given] = [await inFile(), newSigningSecret()];
    const [service] = context.config.services;
    const configured = (signingSecret: string) => ({
      ...context,
      config: {
        ...context.config,
        services: [{ ...plainService('agent', null, '298487'), ...service, signingSecret }],
      },
    });
    await applyConfig(configured(given), dataDir);
    expect((await send()).accepts(old, given)).toEqual([true, true]);
    await cli('retire', 'agent', ...WHY);
    logged.length = 0;
    await applyConfig(configured(old), dataDir);
    expect((await send()).accepts(old, given)).toEqual([false, true]);
    expect(logged.join('')).toContain('signing_secret.outdated');
  });

  it('a secret of an older version, without a hash, is named by the first start', async () => {
    await context.sql`update signing_secret set secret_hash = null`;
    await applyConfig(context, dataDir);
    const old = await inFile();
    expect((await send()).accepts(old)).toEqual([true]);
    expect(await context.sql`select count(*)::int as n, count(secret_hash)::int as named from signing_secret`).toEqual([
      { n: 1, named: 1 },
    ]);
  });
});

describe(verifies('I3', 'signing secrets'), () => {
  it('are printed only to a terminal or with --yes, and otherwise nothing is done', async () => {
    for (const command of ['rotate', 'show']) {
      const refused = await cli(command, 'agent', ...WHY);
      expect([refused.code, refused.stdout]).toEqual([2, '']);
    }
    const { items } = (await cli('list', '--json')).json<{ items: unknown[] }>();
    expect(items).toHaveLength(1);
  });

  it('are shown newest first, each time with a row in the trail that names who and why, and no secret', async () => {
    const old = await inFile();
    const fresh = await rotate();
    const shown = await cli('show', 'agent', ...WHY, '--yes');
    expect(shown.stdout).toBe(`${fresh}\n${old}\n`);
    await cli('retire', 'agent', ...WHY);
    expect((await cli('show', 'agent', ...WHY, '--yes')).stdout).toBe(`${fresh}\n`);
    const rows = await listAudit(context.sql, null, 4);
    expect(rows.map(({ action, actor, reason, target }) => [action, actor, reason, target])).toEqual(
      ['show', 'retire', 'show', 'rotate'].map((verb) => [`signing_secret.${verb}`, 'ada', 'yearly change', 'agent']),
    );
    const stored = await context.sql`select * from signing_secret order by id`;
    const text = JSON.stringify([rows, logged]) + stored.map((row) => Object.values(row).join()).join();
    for (const secret of [old, fresh]) expect(text).not.toContain(secret.slice('whsec_'.length));
    // What is retired is not kept, not even sealed.
    expect(stored.map(({ retiredAt, sealedSecret }) => [retiredAt === null, sealedSecret.length > 0])).toEqual([
      [false, false],
      [true, true],
    ]);
  });
});
