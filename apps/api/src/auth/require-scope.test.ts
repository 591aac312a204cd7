import { problemSchema, SCOPES, type Scope } from '@tidegate/client';
import { revokeApiKey } from '@tidegate/store';
import { newApiKey } from '@tidegate/vault';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { plantServices, startTestApi, type TestApi } from '../../test/start-test-api.ts';
import { REMEMBER_MS } from './key-finder.ts';

let test: TestApi;
const byScope = new Map<string, string>();
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'other'], ['agent', 'other']);
  for (const scope of SCOPES) byScope.set(scope, await test.makeKey([scope]));
}, 60_000);

const routes: [string, string, Scope[]][] = [
  ['GET', '/v1/gates', ['gate:read']],
  ['GET', '/v1/gates/agent', ['gate:read']],
  ['GET', '/v1/gates/agent?wait=1s&generation=0', ['gate:read']],
  ['GET', '/v1/incidents', ['incidents:read']],
  ['GET', '/v1/incidents/inc_x', ['incidents:read']],
  ['GET', '/v1/blips', ['incidents:read']],
  ['GET', '/v1/observations', ['incidents:read']],
  ['GET', '/v1/subjects', ['incidents:read']],
  ['POST', '/v1/callbacks', ['callbacks:write']],
  ['GET', '/v1/callbacks', ['callbacks:write', 'callbacks:review']],
  ['GET', '/v1/callbacks/cb_x', ['callbacks:write', 'callbacks:review']],
  ['POST', '/v1/callbacks/cb_x/cancel', ['callbacks:write', 'callbacks:review']],
  ['POST', '/v1/callbacks/cb_x/redrive', ['callbacks:review']],
  ['GET', '/v1/reviews', ['callbacks:review']],
  ['GET', '/v1/reviews/cb_x', ['callbacks:review']],
  ['POST', '/v1/reviews/cb_x/approve', ['callbacks:review']],
  ['POST', '/v1/reviews/cb_x/deny', ['callbacks:review']],
  ['POST', '/v1/reviews/cb_x/complete', ['callbacks:review']],
  ['GET', '/v1/reconciliations', ['callbacks:write', 'callbacks:review']],
  ['GET', '/v1/reconciliations/rec_x', ['callbacks:write', 'callbacks:review']],
];

describe.each(routes)('%s %s', (method, path, scopes) => {
  it.each([
    ['no key', null],
    ['a key that was never made', `tdg_${'a'.repeat(40)}`],
    ['no key at all', 'hello'],
    ['an empty one', ''],
  ])('answers 401 to %s', async (_name, key) => {
    const response = await test.call(path, { method, key });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="tidegate"/);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
    const { code, detail } = problemSchema.parse(await response.json());
    expect(code).toBe(key === null ? 'key_missing' : 'key_refused');
    // Whoever gave no key, or none that can be one, is told how it is given.
    expect(detail.includes('An API key is needed, as Authorization: Bearer')).toBe(!key?.startsWith('tdg_'));
    expect(detail.includes('was revoked')).toBe(key?.startsWith('tdg_') === true);
  });

  it('takes its scopes and admin, and names what any other key lacks', async () => {
    for (const [scope, key] of byScope) {
      const response = await test.call(path, { method, key });
      if (scopes.includes(scope as Scope) || scope === 'admin') expect([401, 403]).not.toContain(response.status);
      else {
        expect(response.status).toBe(403);
        const problem = problemSchema.parse(await response.json());
        expect(problem).toMatchObject({ code: 'scope_missing', scope: scopes[0] });
        expect(problem.detail).toContain(scopes.join(' or '));
        expect(response.headers.get('www-authenticate')).toContain(`scope="${scopes[0]}"`);
      }
    }
  });

  it('says so before it looks at the query', async () => {
    const query = `${path.includes('?') ? '&' : '?'}nonsense=1`;
    expect((await test.call(`${path}${query}`, { method, key: null })).status).toBe(401);
    expect((await test.call(`${path}${query}`, { method })).status).toBe(400);
  });
});

describe('a key', () => {
  it('ends when it expires', async () => {
    const [clock] = await test.sql<{ soon: Date }[]>`select clock_timestamp() + interval '1 second' as soon`;
    const key = await test.makeKey(['gate:read'], { expiresAt: clock?.soon ?? new Date() });
    expect((await test.call('/v1/gates', { key })).status).toBe(200);
    await expect.poll(async () => (await test.call('/v1/gates', { key })).status, { timeout: 8000 }).toBe(401);
  });

  it('that has expired was never good', async () => {
    const key = await test.makeKey(['gate:read'], { expiresAt: new Date(Date.now() - 1000) });
    expect((await test.call('/v1/gates', { key })).status).toBe(401);
  });

  it('ends within five seconds of its revocation', async () => {
    expect(REMEMBER_MS).toBeLessThanOrEqual(5000);
    const key = await test.makeKey(['gate:read'], { id: 'key_revoked' });
    expect((await test.call('/v1/gates', { key })).status).toBe(200);
    expect(await revokeApiKey(test.sql, 'key_revoked')).toBe(true);
    const revokedAtMs = performance.now();
    await expect.poll(async () => (await test.call('/v1/gates', { key })).status, { timeout: 8000 }).toBe(401);
    expect(performance.now() - revokedAtMs).toBeLessThan(5000);
  });

  it('works as soon as it is made, though it was refused before', async () => {
    const key = newApiKey();
    expect((await test.call('/v1/gates', { key })).status).toBe(401);
    await test.makeKey(['gate:read'], { key });
    expect((await test.call('/v1/gates', { key })).status).toBe(200);
  });

  it(verifies('I3', 'is never logged nor answered'), async () => {
    const key = await test.makeKey(['gate:read']);
    const answers = await Promise.all([
      test.call('/v1/gates', { key }),
      test.call('/v1/incidents', { key }),
      test.call(`/v1/gates/${key}`, { key }),
      test.call(`/${key}?${key}=${key}`, { key }),
      test.call('/v1/gates', { key: `${key}x` }),
    ]);
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const headers = answers.map((answer) => JSON.stringify([...answer.headers]));
    expect([...texts, ...headers, ...test.lines].filter((text) => text.includes(key.slice(4)))).toEqual([]);
  });
});

describe('a key limited to some services', () => {
  const key = () => test.makeKey(['admin'], { services: ['agent'] });
  const post = (bearer: string, service: string) =>
    test.call('/v1/callbacks', {
      method: 'POST',
      key: bearer,
      headers: { 'content-type': 'application/json', 'idempotency-key': `limited-${service}` },
      body: JSON.stringify({ service, url: 'https://x.example/', method: 'POST', safety: 'safe', repeat: 'forbidden' }),
    });

  it('sees only their gates', async () => {
    const bearer = await key();
    const names = async (path: string) => {
      const { items } = (await (await test.call(path, { key: bearer })).json()) as { items: { service: string }[] };
      return items.map(({ service }) => service);
    };
    expect(await names('/v1/gates')).toEqual(['agent']);
    expect(await names('/v1/gates?service=other,agent')).toEqual(['agent']);
    expect((await test.call('/v1/gates/agent', { key: bearer })).status).toBe(200);
    const [foreign, unknown] = [
      await test.call('/v1/gates/other', { key: bearer }),
      await test.call('/v1/gates/nobody', { key: bearer }),
    ];
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect(await foreign.text()).toBe(await unknown.text());
    expect((await test.call('/v1/gates/other?wait=60s', { key: bearer })).status).toBe(404);
  });

  it('hands over and sees only their callbacks', async () => {
    const bearer = await key();
    expect((await post(bearer, 'agent')).status).toBe(201);
    const { id } = (await (await post(test.adminKey, 'other')).json()) as { id: string };
    const answers = [await post(bearer, 'other'), await post(bearer, 'nobody')];
    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    const [foreign, unknown] = await Promise.all(answers.map((answer) => answer.text()));
    expect(foreign).toBe(unknown);
    expect((await test.call(`/v1/callbacks/${id}`, { key: bearer })).status).toBe(404);
    for (const path of ['/v1/callbacks', '/v1/callbacks?service=other']) {
      const { items } = (await (await test.call(path, { key: bearer })).json()) as { items: { service: string }[] };
      expect(items.filter(({ service }) => service !== 'agent')).toEqual([]);
    }
  });

  it('may not read the lists that are not kept by service', async () => {
    const bearer = await key();
    for (const path of ['/v1/observations', '/v1/subjects']) {
      const response = await test.call(path, { key: bearer });
      expect([response.status, problemSchema.parse(await response.json()).code]).toEqual([403, 'key_limited']);
    }
  });

  it('sees nothing when its list is empty', async () => {
    const bearer = await test.makeKey(['admin'], { services: [] });
    for (const path of ['/v1/gates', '/v1/gates?service=agent', '/v1/incidents', '/v1/callbacks']) {
      expect(((await (await test.call(path, { key: bearer })).json()) as { items: unknown[] }).items).toEqual([]);
    }
    expect((await test.call('/v1/gates/agent', { key: bearer })).status).toBe(404);
    expect((await post(bearer, 'agent')).status).toBe(403);
  });
});
