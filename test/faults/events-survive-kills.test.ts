import { incidentEventSchema } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStream } from '../../apps/api/test/open-stream.ts';
import { databaseUrl, type LoneApp, runAppAlone } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const ROUNDS = 6;

let world: World;
let stack: Stack;
let second: LoneApp;
let sql: Sql;

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  const verify = { passes: 1, every: '50ms', recheckEvery: '1s' };
  stack = await startStack({ config: stackConfig(world, { policy: { openAfter: '50ms', maxWait: '1s', verify } }) });
  second = await runAppAlone(stack, 'api');
  sql = connect(databaseUrl(stack), { application: 'test', connections: 2 });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await second?.stop();
  await stack?.close();
  await world?.close();
});

const gate = () => stack.get<{ decision: string }>(`/v1/gates/${SERVICE}`);
const decision = (wanted: string) => until(`the gate is ${wanted}`, gate, (now) => now.decision === wanted);

/** A reader that comes back to either api, whenever one it reads from breaks off. */
function startReader() {
  const numbers: number[] = [];
  let lastId: string | null = '0';
  let stopped = false;
  let leave = () => {};
  const read = async () => {
    for (let turn = 0; !stopped; turn += 1) {
      const { apiUrl, adminKey } = stack.ready();
      const url = turn % 3 === 2 ? (second.url ?? '') : apiUrl;
      const call: Parameters<typeof openStream>[0] = (path, { headers, signal } = {}) =>
        fetch(url + path, {
          headers: { ...headers, authorization: `Bearer ${adminKey}` },
          ...(signal !== undefined && { signal }),
        });
      const stream = await openStream(call, '/v1/incidents/events', { lastId }).catch(() => null);
      if (stream === null) continue;
      leave = stream.leave;
      if (stopped) stream.leave();
      await stream.ended;
      for (const { event, data } of stream.messages) {
        if (event === 'message') numbers.push(incidentEventSchema.parse(data).number);
      }
      lastId = stream.lastId();
    }
  };
  const done = read();
  return {
    /** Breaks the connection off, so that it comes back. */
    interrupt: () => leave(),
    numbers,
    async stop() {
      stopped = true;
      leave();
      await done;
    },
  };
}

describe('an api that is killed again and again', () => {
  it(verifies('I12.events', 'tells its reader each event once and in order'), async () => {
    await decision('allowed');
    const reader = startReader();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { api } = stack.ready().pids;
      await world.account.tunnelDisconnects(world.tunnelId);
      if (api !== null) process.kill(api, 'SIGKILL');
      await decision('held');
      await world.account.tunnelConnects(world.tunnelId);
      await decision('allowed');
    }
    const stored = async () => {
      reader.interrupt();
      const rows = await sql<{ number: number }[]>`select number from event where number is not null order by number`;
      return rows.map(({ number }) => number);
    };
    const all = await until('the reader has all', stored, (numbers) => numbers.at(-1) === reader.numbers.at(-1));
    await reader.stop();
    expect(all.length).toBeGreaterThan(2 * ROUNDS);
    expect(reader.numbers.slice(0, all.length)).toEqual(all);
    expect(reader.numbers).toEqual(reader.numbers.map((_, index) => index + 1));
  }, 120_000);
});
