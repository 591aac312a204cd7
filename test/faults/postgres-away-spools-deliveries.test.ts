import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Gate } from '@tidegate/client';
import { createFleet, startWorld, type WebhookEvent, type World } from '@tidegate/simulator';
import { connect } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHttp } from '../support/call-http.ts';
import { keepPosting, type Load } from '../support/keep-posting.ts';
import { tellsOfLostDatabase } from '../support/provoked-lines.ts';
import { runAppAlone } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { startTestPostgres } from '../support/servers.ts';
import { SOURCE, stackConfig } from '../support/stack-config.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const CONNECTIONS = 32;
/** A minute is what is promised, and nothing depends on how long it is beyond the five seconds after which silence counts. */
const AWAY_MS = 15_000;

type Postgres = Awaited<ReturnType<typeof startTestPostgres>>;

/** One answer of the api about the gates of the fleet. */
interface Answer {
  readonly startedMs: number;
  readonly allowed: number;
}

const fleet = createFleet({ devices: 3, tunnelsPerDevice: 8 });
const SERVICES = fleet.devices.map(({ name }) => name);

let dataDir: string;
let postgres: Postgres;
let world: World;
let stack: Stack;
let load: Load;
let asking = true;
const answers: Answer[] = [];
/** What became of each delivery, by its tunnel and date. */
const outcomes = new Map<string, string>();

beforeAll(async () => {
  dataDir = await makeTempFolder('away');
  postgres = await startTestPostgres({ dataDir, fsync: true });
  world = await startWorld({ stoppedAppDelayMs: 300 });
  fleet.addTo(world.account);
  const services = SERVICES.map((name) => ({
    name,
    source: SOURCE,
    device: name,
    probes: { liveness: { url: world.probeUrls.liveness } },
  }));
  stack = await startStack({
    config: stackConfig(world, { services }),
    env: { DATABASE_URL: postgres.url },
    provokes: tellsOfLostDatabase,
  });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
});
afterAll(async () => {
  asking = false;
  await load?.stop();
  await stack?.close();
  await world?.close();
  await postgres?.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Tunnels that are there, each time with a date of its own; their ids are public, so that each can be found by it. */
function* reports(): Generator<WebhookEvent> {
  for (let startMs = Date.now(); ; startMs += 1) {
    for (const event of fleet.events('Connected', { startMs })) if (event.Type === 'Tunnel') yield event;
  }
}

const nameOf = ({ Id, ActionDate }: WebhookEvent) => `${Id} ${ActionDate}`;
const count = (outcome: string) => load.outcomes[outcome] ?? 0;
const moreThan = (outcome: string, before: number) =>
  until(
    `more answers ${outcome}`,
    () => count(outcome),
    (now) => now > before,
    60_000,
  );

async function askGates(): Promise<void> {
  while (asking) {
    const startedMs = Date.now();
    const answer = await stack.call(`/v1/gates?service=${SERVICES.join()}`, { timeoutMs: 30_000 }).catch(() => null);
    if (answer?.status === 200) {
      const { items } = answer.json<{ items: Gate[] }>();
      answers.push({ startedMs, allowed: items.filter(({ decision }) => decision === 'allowed').length });
    }
    await delay(5);
  }
}

/** How often each delivery is there. */
async function recorded(): Promise<Map<string, number>> {
  const sql = connect(postgres.url, { application: 'test', connections: 1 });
  try {
    const rows = await sql<{ name: string; count: number }[]>`
      select s.public_id || ' ' || o.action_date as name, count(d.id)::int as count
      from observation o join subject s on s.id = o.subject_id join delivery d on d.observation_key = o.key
      where s.public_id is not null group by 1`;
    return new Map(rows.map((row) => [row.name, row.count]));
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** Whether the receiver keeps nothing back. */
const receiverReady = async () => (await callHttp(`${stack.ready().adminUrls.receiver}/readyz`)).status;

describe(`Postgres away for ${AWAY_MS / 1000} s under load, and kill -9 of the receiver meanwhile`, () => {
  let firstUnrecordedMs = 0;

  it('begins with every gate open and deliveries accepted', async () => {
    void askGates();
    await until(
      'all gates open',
      () => answers.at(-1)?.allowed,
      (allowed) => allowed === SERVICES.length,
    );
    load = keepPosting(stack.ready().sources[0]?.webhookUrl ?? '', reports(), CONNECTIONS, (event, outcome) => {
      outcomes.set(nameOf(event), outcome);
    });
    await moreThan('202', 300);
    expect(await receiverReady()).toBe(200);
  });

  it('lets no second receiver share the spool', async () => {
    const second = runAppAlone(stack, 'receiver', { TIDEGATE_DATA_DIR: stack.dataDir, DATABASE_URL: postgres.url });
    await expect(second).rejects.toThrow(
      `receiver: The folder ${stack.dataDir} is in use by another running receiver; stop that one, or give this one a data folder of its own.\n`,
    );
  });

  it(verifies('I1.spool', 'answers 503 and spools, also after the receiver was killed and started again'), async () => {
    await postgres.stop();
    const stoppedMs = Date.now();
    await moreThan('503', 50);
    const told = await Promise.all(SERVICES.map((device) => world.account.deviceGoesOffline(device)));
    expect(new Set(told.flat().map(({ status }) => status))).toEqual(new Set([503]));
    firstUnrecordedMs = Date.now();
    expect(await receiverReady()).toBe(503);

    const pid = stack.ready().pids.receiver ?? 0;
    process.kill(pid, 'SIGKILL');
    await until(
      'another receiver runs',
      () => stack.ready().pids.receiver,
      (now) => now !== pid,
      30_000,
    );
    await moreThan('503', count('503') + 50);
    await until('the time is over', Date.now, (now) => now > stoppedMs + AWAY_MS, AWAY_MS + 1000);
  });

  it(verifies('I1.spool', 'has every 202 and every 503 exactly once when Postgres is back'), async () => {
    postgres = await startTestPostgres({ dataDir, fsync: true, port: postgres.port });
    await moreThan('202', count('202') + 300);
    await load.stop();
    await until('the receiver keeps nothing back', receiverReady, (status) => status === 200);
    const rows = await recorded();
    const answered = [...outcomes].filter(([, outcome]) => outcome === '202' || outcome === '503');
    expect(answered.filter(([, outcome]) => outcome === '503').length).toBeGreaterThan(100);
    const wrong = answered.filter(([name]) => rows.get(name) !== 1);
    expect({ count: wrong.length, first: wrong.slice(0, 5) }).toEqual({ count: 0, first: [] });
    // What was not answered, because the receiver was killed, may have been kept.
    expect([...rows.values()].filter((times) => times !== 1)).toEqual([]);
  });

  it(
    verifies('I1.spool', 'never allowed a callback from the first Disconnected it kept back until all was verified'),
    async () => {
      const held = await until(
        'gates are told again',
        () => answers.filter(({ startedMs }) => startedMs > firstUnrecordedMs),
        (since) => since.length > 50,
      );
      expect(held.filter(({ allowed }) => allowed > 0)).toEqual([]);
      for (const device of SERVICES) await world.account.deviceComesBack(device);
      await until(
        'all gates open again',
        () => answers.at(-1)?.allowed,
        (allowed) => allowed === SERVICES.length,
      );
      expect(stack.events('spool.replayed').length).toBeGreaterThan(0);
      expect([...stack.events('spool.lost'), ...stack.events('spool.damaged')]).toEqual([]);
    },
  );

  it('is not waited for any more after a stop in good order', async () => {
    asking = false;
    expect(await stack.stop()).toMatchObject({ code: 0 });
    const sql = connect(postgres.url, { application: 'test', connections: 1 });
    const rows = await sql<{ id: string; by: string | null }[]>`select id, retired_by as by from receiver`;
    await sql.end({ timeout: 1 });
    expect(rows).toEqual([{ id: expect.stringMatching(/^rcv_[a-z2-7]{24}$/), by: 'self' }]);
  });
});
