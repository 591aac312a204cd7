import { gateSchema, problemSchema } from '@tidegate/client';
import { connect } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deliver, type PlantedService, plantService } from '../../../../test/support/plant-service.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { type Relay, startRelay } from '../../test/start-relay.ts';
import { setGate, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let planted: PlantedService;
let second: TestApi['call'];
beforeAll(async () => {
  test = await startTestApi();
  planted = await plantService(test.sql, 'agent');
  second = (await test.another()).call;
}, 60_000);

describe('two apis on one database', () => {
  it(
    verifies('I2', 'once a Disconnected is recorded, no query that starts later is allowed, on any instance'),
    async () => {
      for (let round = 0; round < 5; round += 1) {
        await setGate(test.sql, 'agent', 'open');
        let recordedAtMs = Number.POSITIVE_INFINITY;
        let stop = false;
        const answers: { startedAtMs: number; decision: string }[] = [];
        const askOn = async (call: TestApi['call']) => {
          while (!stop) {
            const startedAtMs = performance.now();
            const { decision } = gateSchema.parse(await (await call('/v1/gates/agent')).json());
            answers.push({ startedAtMs, decision });
          }
        };
        const asking = [test.call, second, test.call, second].map(askOn);
        while (!answers.some(({ decision }) => decision === 'allowed')) await new Promise(setImmediate);
        await deliver(test.sql, planted, { status: 'disconnected' });
        recordedAtMs = performance.now();
        while (!answers.some(({ startedAtMs }) => startedAtMs > recordedAtMs)) await new Promise(setImmediate);
        stop = true;
        await Promise.all(asking);
        const late = answers.filter(({ startedAtMs }) => startedAtMs > recordedAtMs);
        expect(late.length).toBeGreaterThan(0);
        expect(late.filter(({ decision }) => decision === 'allowed')).toEqual([]);
      }
    },
  );

  it('tell the same gate', async () => {
    await setGate(test.sql, 'agent', 'open');
    const [one, other] = await Promise.all([test.call('/v1/gates/agent'), second('/v1/gates/agent')]);
    const { validUntil: _, ...gate } = gateSchema.parse(await one.json());
    expect(gateSchema.parse(await other.json())).toMatchObject(gate);
  });
});

describe('a store that is away', () => {
  let relay: Relay;
  let call: TestApi['call'];
  beforeAll(async () => {
    relay = await startRelay(test.databaseUrl);
    const sql = connect(relay.url, { application: 'api', connections: 1 });
    call = (await test.another({ sql, storeTimeoutMs: 1000 })).call;
    afterAll(() => sql.end({ timeout: 0 }));
    await setGate(test.sql, 'agent', 'open');
    // The one connection of the pool is up before it is cut.
    await Promise.all(Array.from({ length: 20 }, () => call('/v1/gates/agent')));
  }, 60_000);
  afterAll(() => relay.close());

  const until = async (done: () => Promise<boolean>) => {
    while (!(await done())) await new Promise((resolve) => setTimeout(resolve, 20));
  };
  const expectHeld = async (response: Response) => {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('1');
    expect(problemSchema.parse(await response.json()).code).toBe('store_unavailable');
  };

  it(verifies('I2', 'allows nothing while it refuses connections, and serves again when it is back'), async () => {
    expect((await call('/v1/gates/agent')).status).toBe(200);
    const waiting = call('/v1/gates/agent?wait=60s');
    await relay.cut();
    await expectHeld(await waiting);
    for (const path of ['/v1/gates/agent', '/v1/gates?service=agent', '/v1/gates/agent?wait=5s', '/readyz']) {
      await expectHeld(await call(path));
    }
    expect((await call('/healthz')).status).toBe(200);
    const lines = test.lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'request.failed');
    expect(lines[0]).toMatchObject({
      level: 'warn',
      route: '/v1/gates/:service',
      status: 503,
      code: 'store_unavailable',
    });
    expect(JSON.stringify(lines)).not.toContain('agent');
    await relay.restore();
    await until(async () => (await call('/v1/gates/agent')).status === 200);
  });

  it(verifies('I2', 'allows nothing while it hangs, and serves again when it goes on'), async () => {
    relay.freeze();
    await expectHeld(await call('/v1/gates/agent'));
    await expectHeld(await call('/v1/incidents'));
    await expectHeld(await call('/readyz'));
    await relay.restore();
    await until(async () => (await call('/v1/gates/agent')).status === 200);
  });
});
