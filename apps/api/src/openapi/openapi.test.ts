import { createConfig, lintFromString } from '@redocly/openapi-core';
import { problemSchema } from '@tidegate/client';
import { HtmlValidate } from 'html-validate';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStream } from '../../test/open-stream.ts';
import { plantServices, plantSubject, startTestApi, type TestApi } from '../../test/start-test-api.ts';
import { createApiApp } from '../api-app.ts';
import type { ApiContext } from '../api-context.ts';
import { buildDocument, toTemplate } from './build-document.ts';
import { listProblems } from './list-problems.ts';
import { EXAMPLE, type Operation } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { listParameters, QUERY_WORDS } from './parameters.ts';
import { SCHEMAS, toJsonSchemas } from './schema-registry.ts';
import { toCurl } from './to-curl.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, [EXAMPLE.service]);
  const device = await plantSubject(test.sql, 'dev_1', 'mac-mini');
  await test.sql`insert into incident (id, kind, group_id, opened_at, summary) values (${EXAMPLE.incident}, 'device', ${device}, now(), 's')`;
  await test.sql`insert into incident_service select ${EXAMPLE.incident}, id from service`;
  await test.sql`insert into timeline_entry (incident_id, at, event, why) values (${EXAMPLE.incident}, now(), 'incident.opened', 'Opened.')`;
  await test.sql`insert into silence (id, scope, target, actor, reason, created_at, expires_at)
                 values (${EXAMPLE.silence}, 'service', ${EXAMPLE.service}, 'Ann', 'r', now(), now() + interval '1 hour')`;
  await test.sql`insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url, sealed_headers,
                   sealed_idempotency_key, created_at)
                 select ${EXAMPLE.callback}, id, 'k', decode(${EXAMPLE.payloadHash}, 'hex'), 'held', 'POST', 'https://x.example', 'safe', 'forbidden',
                   'sealed', '', '', now() from service`;
  await test.sql`insert into reconciliation (id, service_id, generation, trigger, started_at)
                 select ${EXAMPLE.reconciliation}, id, 1, 'release', now() from service`;
}, 60_000);

/** Answers whatever it is asked for with itself: enough to add the routes, none of which is called. */
const nothing: unknown = new Proxy(() => nothing, { get: () => nothing });
const OURS = /^\/(?:v1|feeds|healthz|readyz|openapi\.json|docs)(?:\/|$)/;

/** What the callback of the examples has to be for them to work, where that is not `held`. */
const STATES: Readonly<Record<string, string>> = {
  redriveCallback: 'failed',
  readReview: 'needs_review',
  approveCallback: 'needs_review',
  denyCallback: 'needs_review',
  completeCallback: 'needs_review',
};

const named = OPERATIONS.map(
  (operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation] as const,
);
const withKey = named.filter(([, { scopes }]) => scopes.length > 0);

/** The key as the operation takes it. */
const authOf = ({ auth }: Operation, key: string) =>
  auth === 'basic' ? `Basic ${Buffer.from(`reader:${key}`).toString('base64')}` : `Bearer ${key}`;

function send(operation: Operation, { path = operation.example.path, key = test.adminKey as string | null } = {}) {
  const { method, example } = operation;
  return test.call(path, {
    method: method.toUpperCase(),
    key: null,
    headers: {
      ...(key !== null && { authorization: authOf(operation, key) }),
      ...(example.body !== undefined && { 'content-type': 'application/json' }),
      ...example.headers,
    },
    ...(example.body !== undefined && { body: JSON.stringify(example.body) }),
  });
}

describe('the document', () => {
  it('has every route there is, and no other', () => {
    const { routes } = createApiApp(nothing as ApiContext);
    const there = routes.filter(({ method, path }) => method !== 'ALL' && OURS.test(path));
    const names = new Set(there.map(({ method, path }) => `${method} ${path}`));
    expect([...names].sort()).toEqual(named.map(([name]) => name).sort());
  });

  it('passes the linter without a word', async () => {
    const config = await createConfig({ extends: ['recommended-strict'] });
    const problems = await lintFromString({ source: JSON.stringify(buildDocument()), config });
    expect(problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual(
      [],
    );
  });

  it('refers to schemas by their names, and to none that is not there', () => {
    const text = JSON.stringify(buildDocument());
    const names = new Set([...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name));
    expect([...names].filter((name) => name !== undefined && !(name in SCHEMAS))).toEqual([]);
    expect(toJsonSchemas().IncidentPage.properties?.items?.items).toEqual({ $ref: '#/components/schemas/Incident' });
  });

  it('leaves answers open to what later versions add, and requests closed', () => {
    expect(toJsonSchemas().Incident.additionalProperties).toBeUndefined();
    expect(toJsonSchemas().NoteRequest.additionalProperties).toBe(false);
  });

  it('is served as it is, to everybody', async () => {
    const response = await test.call('/openapi.json', { key: null });
    expect(response.headers.get('content-type')).toBe('application/vnd.oai.openapi+json');
    expect(await response.json()).toEqual(JSON.parse(JSON.stringify(buildDocument())));
  });
});

describe('what it says of a route', () => {
  it.each(named)('%s: its example works and answers as it says', async (_name, operation) => {
    const { answer, example } = operation;
    if (answer.mediaType === 'text/event-stream') {
      const stream = await openStream(test.call, example.path);
      expect(stream.response.status).toBe(answer.status);
      stream.leave();
      return;
    }
    await test.sql`update callback set state = ${STATES[operation.id] ?? 'held'} where id = ${EXAMPLE.callback}`;
    const response = await send(operation);
    expect({ status: response.status, problem: response.ok ? null : await response.text() }).toEqual({
      status: answer.status,
      problem: null,
    });
    expect(response.headers.get('content-type')).toContain(answer.mediaType ?? 'application/json');
    if (answer.schema !== null) SCHEMAS[answer.schema].parse(await response.json());
  });

  it.each(withKey)('%s: needs a key, with one of its scopes', async (_name, operation) => {
    expect(listProblems(operation)).toEqual(expect.arrayContaining([401, 403]));
    expect((await send(operation, { key: null })).status).toBe(401);
    const refused = await send(operation, { key: await test.makeKey(['hosts:report']) });
    const { code, scope } = problemSchema.parse(await refused.json());
    expect([refused.status, code, scope]).toEqual([403, 'scope_missing', operation.scopes[0]]);
  });

  it.each(withKey)('%s: takes the query it names, and refuses any other', async (_name, operation) => {
    const [bare = ''] = operation.example.path.split('?');
    const errorsOf = async (query: string) => {
      const response = await send(operation, { path: `${bare}?${query}` });
      expect(response.status).toBe(400);
      return problemSchema.parse(await response.json()).errors;
    };
    expect(await errorsOf('surely=1')).toContainEqual({ field: 'surely', problem: 'unknown' });
    for (const { name, in: place, description } of listParameters(operation)) {
      expect({ name, description }).not.toEqual({ name, description: '' });
      if (place !== 'query') continue;
      expect(QUERY_WORDS).toHaveProperty(name);
      expect((await errorsOf(`${name}=%00`))?.map(({ field }) => field)).toEqual([name]);
      expect(await errorsOf(`${name}=%00`)).not.toContainEqual({ field: name, problem: 'unknown' });
    }
  });
});

describe('the reference', () => {
  let page: string;
  beforeAll(async () => {
    page = await (await test.call('/docs', { key: null })).text();
  });

  it('tells every route with its example, and every schema', () => {
    const text = page.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
    for (const operation of OPERATIONS) {
      expect(text).toContain(`id="${operation.id}"`);
      expect(text).toContain(toCurl(operation));
      expect(text).toContain(`<code>${toTemplate(operation.path)}</code>`);
    }
    for (const name of Object.keys(SCHEMAS)) expect(text).toContain(`id="${name}"`);
    expect(toTemplate('/v1/gates/:service/hold')).toBe('/v1/gates/{service}/hold');
  });

  it('loads nothing but a style of ours, and links only within', async () => {
    const response = await test.call('/docs', { key: null });
    expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*style-src 'self'/);
    expect(page).not.toMatch(/<script| style=| on[a-z]+="| src=/);
    const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
    const answered = await test.call(style, { key: null });
    expect([answered.status, answered.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8']);
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, href = '']) => href);
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`));
    expect(links.filter((href) => href.startsWith('#') && !ids.has(href))).toEqual([]);
    expect(links.filter((href) => !href.startsWith('#') && !href.startsWith('/'))).toEqual([]);
  });

  it('is valid HTML', async () => {
    const { results } = await new HtmlValidate({ extends: ['html-validate:standard'] }).validateString(page);
    const said = results.flatMap(({ messages }) =>
      messages.map(({ ruleId, message, line }) => `${line} ${ruleId}: ${message}`),
    );
    expect(said).toEqual([]);
  });
});
