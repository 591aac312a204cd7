import { Agent } from 'node:http';
import type { Gate } from '@tidegate/client';
import { postWebhook, startWorld, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHttp } from '../support/call-http.ts';
import { databaseUrl, type LoneApp, runAppAlone } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const QUERIES = 10_000;
const PER_PROCESS = 16;
const FALSE_ALARMS = 8;

/** One gate query, by the clock that Postgres reads too: it runs on this machine. */
interface Query {
  readonly api: number;
  readonly startedMs: number;
  readonly answeredMs: number;
  readonly gate: Gate;
}

let world: World;
let stack: Stack;
let second: LoneApp;
let sql: Sql;
let webhookUrl: string;

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  // Quick verification, so that one is often under way when a Disconnected comes in.
  const verify = { passes: 2, every: '50ms', recheckEvery: '100ms' };
  stack = await startStack({ config: stackConfig(world, { policy: { openAfter: '30s', maxWait: '60s', verify } }) });
  second = await runAppAlone(stack, 'api');
  sql = connect(databaseUrl(stack), { application: 'test', connections: 2 });
  webhookUrl = stack.ready().sources[0]?.webhookUrl ?? '';
  world.connectWebhook(webhookUrl);
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await second?.stop();
  await stack?.close();
  await world?.close();
});

/** Asks both api processes without a pause, each over its own connections, until `enough`. */
async function askBoth(enough: (queries: readonly Query[]) => boolean): Promise<Query[]> {
  const { apiUrl, adminKey } = stack.ready();
  const headers = { authorization: `Bearer ${adminKey}` };
  const queries: Query[] = [];
  const asking = [apiUrl, second.url ?? ''].map(async (url, api) => {
    const agent = new Agent({ keepAlive: true, maxSockets: PER_PROCESS });
    const ask = async () => {
      while (!enough(queries)) {
        const startedMs = Date.now();
        const answer = await callHttp(`${url}/v1/gates/${SERVICE}`, { headers, agent });
        expect(answer.status).toBe(200);
        queries.push({ api, startedMs, answeredMs: Date.now(), gate: answer.json<Gate>() });
      }
    };
    await Promise.all(Array.from({ length: PER_PROCESS }, ask));
    agent.destroy();
  });
  await Promise.all(asking);
  return queries;
}

const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);
const untilAllowed = () => until('the gate opens', gate, ({ decision }) => decision === 'allowed');
const allowedBy = (queries: readonly Query[], api: number) =>
  queries.some((query) => query.api === api && query.gate.decision === 'allowed');

/** The passed verifications, by the generation they began under: how many, and when the first began and the last ended. */
async function proofs() {
  const rows = await sql<{ generation: number; passes: number; began: number; ended: number }[]>`
    select generation, count(*)::int as passes, extract(epoch from min(started_at))::float8 * 1000 as began,
      extract(epoch from max(finished_at))::float8 * 1000 as ended
    from verification where passed and not overtaken group by generation`;
  return new Map(rows.map((row) => [row.generation, row]));
}

/** An answer that allows is right only under a generation that was verified, and after that verification had begun. */
async function judgeAllowed(queries: readonly Query[], heldGeneration: number): Promise<string[]> {
  const verified = await proofs();
  return queries
    .filter(({ gate }) => gate.decision === 'allowed')
    .flatMap(({ gate, answeredMs }) => {
      const proof = verified.get(gate.generation);
      if (gate.generation < heldGeneration) return [`allowed under generation ${gate.generation}, before the 202`];
      if (proof === undefined || proof.passes < 2) return [`allowed without proof under ${gate.generation}`];
      return answeredMs < Math.floor(proof.began) ? ['allowed before its verification began'] : [];
    });
}

describe('from the moment of the 202 of a Disconnected', () => {
  it(verifies('I2', `${QUERIES} queries of two api processes are never allowed before verification`), async () => {
    await untilAllowed();
    const before = await askBoth((queries) => queries.length >= 200 && allowedBy(queries, 0) && allowedBy(queries, 1));
    expect(before.every((query) => query.gate.decision === 'allowed')).toBe(true);

    const [answer] = await world.account.tunnelDisconnects(world.tunnelId);
    const acceptedMs = Date.now();
    expect(answer?.status).toBe(202);
    const held = await askBoth((queries) => queries.length >= QUERIES);
    expect(held.length).toBeGreaterThanOrEqual(QUERIES);
    expect(held.filter(({ startedMs }) => startedMs < acceptedMs)).toEqual([]);
    expect(new Set(held.map((query) => query.api))).toEqual(new Set([0, 1]));
    expect(held.filter((query) => query.gate.decision === 'allowed')).toEqual([]);
    const generation = Math.min(...held.map((query) => query.gate.generation));
    expect(generation).toBeGreaterThan(before[0]?.gate.generation ?? 0);

    const returning = askBoth((queries) => allowedBy(queries, 0) && allowedBy(queries, 1));
    await world.account.tunnelConnects(world.tunnelId);
    const returned = await returning;
    expect(returned.some((query) => query.gate.decision === 'held')).toBe(true);
    expect(await judgeAllowed(returned, generation)).toEqual([]);
  });

  it(verifies('I2', 'I6', 'a verification under way does not open it again, however often they meet'), async () => {
    const overtaken = async () => {
      const [row] = await sql<{ n: number }[]>`select count(*)::int as n from verification where overtaken`;
      return row?.n ?? 0;
    };
    // Slow enough that a verification can be met while it is under way.
    world.agent.setMode('slow', { slowMs: 300 });
    for (let round = 0; round < FALSE_ALARMS; round += 1) {
      const { generation } = await untilAllowed();
      // Nothing is wrong with the link: verification passes at once, and a re-check is often under way.
      const event = {
        Id: world.tunnelId,
        ActionDate: new Date().toISOString(),
        Type: 'Tunnel',
        Status: 'Disconnected',
      };
      expect(await postWebhook(webhookUrl, event)).toMatchObject({ outcome: 'answered', status: 202 });
      await until(
        'a verification is under way',
        () => stack.get<Gate>(`/v1/gates/${SERVICE}`),
        (gate) => gate.state === 'verifying',
      );
      const posted = await postWebhook(webhookUrl, event);
      expect(posted).toMatchObject({ outcome: 'answered', status: 202 });
      const acceptedMs = Date.now();
      const queries = await askBoth((all) => all.length >= 50 && allowedBy(all, 0) && allowedBy(all, 1));
      expect(queries.filter((query) => query.startedMs < acceptedMs)).toEqual([]);
      expect(await judgeAllowed(queries, generation + 2)).toEqual([]);
    }
    expect(await overtaken()).toBeGreaterThan(0);
  });
});
