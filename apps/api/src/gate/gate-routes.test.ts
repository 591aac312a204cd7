import { setTimeout as delay } from 'node:timers/promises';
import { gateListSchema, gateSchema, problemSchema } from '@tidegate/client';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { plantServices, setGate, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['a', 'b', 'c']);
}, 60_000);
afterEach(() => setGate(test.sql, 'a', 'held'));

const tagOf = async (service: string) => (await test.call(`/v1/gates/${service}`)).headers.get('etag') ?? 'none';
const gateOf = async (path: string) => gateSchema.parse(await (await test.call(path)).json());

describe('GET /v1/gates/{service}', () => {
  it('tells exactly the fields of the contract', async () => {
    await setGate(test.sql, 'a', 'open');
    const response = await test.call('/v1/gates/a');
    expect(response.status).toBe(200);
    const body = await response.json();
    expect(Object.keys(body as object).sort()).toEqual(
      ['service', 'decision', 'state', 'reason', 'generation', 'since', 'validUntil', 'incident'].sort(),
    );
    expect(body).toEqual({
      ...(body as object),
      service: 'a',
      decision: 'allowed',
      state: 'open',
      reason: 'verified',
      incident: null,
    });
    expect(response.headers.get('etag')).toMatch(/^W\/"\d+\.open\.allowed"$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('leases an allowed gate for five seconds and a held one not at all', async () => {
    const held = await gateOf('/v1/gates/a');
    await setGate(test.sql, 'a', 'releasing');
    const allowed = await gateOf('/v1/gates/a');
    const [clock] = await test.sql<{ ms: number }[]>`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`;
    const nowMs = clock?.ms ?? Number.NaN;
    expect(held).toMatchObject({ decision: 'held', reason: 'disconnected' });
    expect(Date.parse(held.validUntil)).toBeLessThanOrEqual(nowMs);
    const leaseMs = Date.parse(allowed.validUntil) - nowMs;
    expect(allowed.decision).toBe('allowed');
    expect(leaseMs).toBeGreaterThan(0);
    expect(leaseMs).toBeLessThanOrEqual(5000);
  });

  it.each(['nobody', 'A', 'a%00', 'a%ff', '%2e%2e', 'x'.repeat(200), 'a;b'])('answers 404 to %j', async (name) => {
    const response = await test.call(`/v1/gates/${name}`);
    expect(response.status).toBe(404);
    expect(problemSchema.parse(await response.json()).code).toBe('not_found');
  });

  it('names the open incident, and forgets a retired service', async () => {
    await plantServices(test.sql, ['a', 'b', 'c', 'gone'], ['gone']);
    await test.sql`insert into incident (id, kind, group_id, opened_at, summary) values ('inc_g', 'tunnel', 77, now(), 's')`;
    await test.sql`insert into incident_service select 'inc_g', id from service where name = 'gone'`;
    expect((await gateOf('/v1/gates/gone')).incident).toBe('inc_g');
    await plantServices(test.sql, ['a', 'b', 'c']);
    expect((await test.call('/v1/gates/gone')).status).toBe(404);
  });
});

describe('GET /v1/gates', () => {
  it('answers the named gates once each in the order asked, and is silent about unknown names', async () => {
    const body = gateListSchema.parse(await (await test.call('/v1/gates?service=c,nobody,a,c')).json());
    expect(body.items.map((gate) => gate.service)).toEqual(['c', 'a']);
  });

  it('answers all gates without a name', async () => {
    const body = gateListSchema.parse(await (await test.call('/v1/gates')).json());
    expect(body.items.map((gate) => gate.service)).toEqual(['a', 'b', 'c']);
  });

  it.each(['?service=', '?service=a,,b', '?service=a&service=b', '?service=a%00', '?wait=3s'])(
    'refuses %j',
    async (query) => {
      const response = await test.call(`/v1/gates${query}`);
      expect(response.status).toBe(400);
      expect(problemSchema.parse(await response.json()).errors).toHaveLength(1);
    },
  );
});

describe('?wait', () => {
  it('answers when the gate is no longer what it was when they asked', async () => {
    let answered = false;
    const waiting = gateOf('/v1/gates/a?wait=60s').finally(() => {
      answered = true;
    });
    // Nobody can see from outside that the request waits, so the gate keeps changing until it answers.
    for (let turn = 0; !answered; turn += 1) {
      await setGate(test.sql, 'a', turn % 2 === 0 ? 'open' : 'held');
      await delay(100);
    }
    expect((await waiting).service).toBe('a');
  });

  it(verifies('I2', 'a waiting caller hears of a raised generation though the decision stays'), async () => {
    const { generation } = await gateOf('/v1/gates/a');
    const waiting = gateOf(`/v1/gates/a?wait=60s&generation=${generation}`);
    await setGate(test.sql, 'a', 'held');
    expect(await waiting).toMatchObject({ decision: 'held', generation: generation + 1 });
  });

  it('answers when the tag that the caller knows is outdated', async () => {
    const tag = await tagOf('a');
    const waiting = test.call('/v1/gates/a?wait=60s', { headers: { 'if-none-match': tag } });
    await setGate(test.sql, 'a', 'open');
    const response = await waiting;
    expect(response.status).toBe(200);
    expect(gateSchema.parse(await response.json()).decision).toBe('allowed');
    expect(response.headers.get('etag')).not.toBe(tag);
  });

  it('answers the present gate when the time is over', async () => {
    const { generation } = await gateOf('/v1/gates/a');
    const startedMs = performance.now();
    const gate = await gateOf(`/v1/gates/a?wait=1s&generation=${generation}`);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990);
    expect(gate).toMatchObject({ decision: 'held', generation });
  });

  it.each(['', '?wait=1s'])('says 304 to who knows the tag already: %j', async (query) => {
    const tag = await tagOf('a');
    const response = await test.call(`/v1/gates/a${query}`, { headers: { 'if-none-match': `"other", ${tag}` } });
    expect(response.status).toBe(304);
    expect(response.headers.get('etag')).toBe(tag);
    expect(await response.text()).toBe('');
  });

  it('answers 404 when the service is retired meanwhile', async () => {
    await plantServices(test.sql, ['a', 'b', 'c', 'leaving']);
    const waiting = test.call('/v1/gates/leaving?wait=60s');
    await plantServices(test.sql, ['a', 'b', 'c']);
    expect((await waiting).status).toBe(404);
  });

  it.each(['0s', '61s', '1m', '30', '1.5s', '-1s', ' 1s', '1s1s', ''])('refuses %j', async (wait) => {
    const response = await test.call(`/v1/gates/a?wait=${encodeURIComponent(wait)}`);
    expect(response.status).toBe(400);
    expect(problemSchema.parse(await response.json()).errors).toEqual([{ field: 'wait', problem: 'malformed' }]);
  });

  it.each(['x', '-1', '1e3', '99999999999999999999'])('refuses the generation %j', async (generation) => {
    expect((await test.call(`/v1/gates/a?generation=${generation}`)).status).toBe(400);
  });
});
