import { createConfig, lintFromString } from '@redocly/openapi-core';
import { PROBLEM_MEDIA_TYPE, type Problem, problemSchema } from '@tidegate/client';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { HtmlValidate } from 'html-validate';
import { beforeAll, describe, expect, it } from 'vitest';
import { openStream } from '../../test/open-stream.ts';
import { plantServices, plantSubject, startTestApi, type TestApi } from '../../test/start-test-api.ts';
import { PROBLEM_CODES } from '../answer/problem-codes.ts';
import { createApiApp } from '../api-app.ts';
import type { ApiContext } from '../api-context.ts';
import { ANSWER_EXAMPLES } from './answer-examples.ts';
import { buildDocument, toTemplate } from './build-document.ts';
import { exampleProblem } from './build-responses.ts';
import { listProblems } from './list-problems.ts';
import { EXAMPLE, type Operation, TOLD_STATUSES } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { listParameters, QUERY_WORDS } from './parameters.ts';
import { type JsonSchema, SCHEMAS, type SchemaName, toJsonSchemas } from './schema-registry.ts';
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

/** Headers that an answer has only at times. */
const SOMETIMES: ReadonlySet<string> = new Set(['Idempotency-Replayed', 'Last-Modified']);

const named = OPERATIONS.map(
  (operation) => [`${operation.method.toUpperCase()} ${operation.path}`, operation] as const,
);
const withKey = named.filter(([, { scopes }]) => scopes.length > 0);

/** The key as the operation takes it. */
const authOf = ({ auth }: Operation, key: string) =>
  auth === 'basic' ? `Basic ${Buffer.from(`reader:${key}`).toString('base64')}` : `Bearer ${key}`;

interface Changes {
  readonly path?: string;
  readonly key?: string | null;
  /** As it is sent, whatever it is. */
  readonly text?: string;
  readonly mediaType?: string;
}

function send(operation: Operation, changes: Changes = {}) {
  const { method, example } = operation;
  const { path = example.path, key = test.adminKey, mediaType = 'application/json' } = changes;
  const text = changes.text ?? (example.body === undefined ? undefined : JSON.stringify(example.body));
  return test.call(path, {
    method: method.toUpperCase(),
    key: null,
    headers: {
      ...(key !== null && { authorization: authOf(operation, key) }),
      ...(text !== undefined && { 'content-type': mediaType }),
      ...example.headers,
    },
    ...(text !== undefined && { body: text }),
  });
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema(JSON.parse(JSON.stringify(buildDocument())), 'document');

/** What the document as it is served has against a value. */
function faultsOf(schema: SchemaName, value: unknown): string[] {
  const validate = ajv.compile({ $ref: `document#/components/schemas/${schema}` });
  validate(value);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** A problem that an operation answered: one that the document tells of it. */
async function readProblem(operation: Operation, response: Response): Promise<Problem> {
  const { status } = response;
  const body: unknown = await response.json();
  const problem = problemSchema.parse(body);
  expect({ body, type: response.headers.get('content-type') }).toEqual({ body: problem, type: PROBLEM_MEDIA_TYPE });
  expect(faultsOf('Problem', body)).toEqual([]);
  expect(listProblems(operation)).toContain(status);
  expect(problem.status).toBe(status);
  expect(Object.keys(PROBLEM_CODES[status as keyof typeof PROBLEM_CODES])).toContain(problem.code);
  return problem;
}

/** Every member of a schema that is described nowhere, by its path. */
function findSilent(schema: JsonSchema, path: string): string[] {
  const members = Object.entries(schema.properties ?? {});
  const inner = [schema.items, ...(schema.anyOf ?? [])].flatMap((one) =>
    one === undefined ? [] : findSilent(one, path),
  );
  const own = members.flatMap(([name, member]) => [
    ...(member.description === undefined ? [`${path}.${name}`] : []),
    ...findSilent(member, `${path}.${name}`),
  ]);
  return [...own, ...inner];
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

  it('says of every member what it means', () => {
    expect(Object.entries(toJsonSchemas()).flatMap(([name, schema]) => findSilent(schema, name))).toEqual([]);
  });

  it('shows an answer of each kind, and a problem of each status, as they can be', () => {
    const answered = new Set(
      OPERATIONS.flatMap(({ answer }) => [answer.schema, ...Object.values(answer.messages ?? {})]),
    );
    for (const name of answered) {
      if (name === null) continue;
      const example = ANSWER_EXAMPLES[name];
      // What zod does not know it leaves out.
      expect({ name, example: SCHEMAS[name].parse(example) }).toEqual({ name, example });
      expect({ name, faults: faultsOf(name, example) }).toEqual({ name, faults: [] });
    }
    for (const status of TOLD_STATUSES) expect(faultsOf('Problem', exampleProblem(status))).toEqual([]);
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
    for (const name of Object.keys(answer.headers ?? {})) {
      if (!SOMETIMES.has(name)) expect({ name, sent: response.headers.has(name) }).toEqual({ name, sent: true });
    }
    if (answer.schema === null) return;
    const body: unknown = await response.json();
    // What zod does not know it leaves out, so nothing is answered that the document does not tell.
    expect(SCHEMAS[answer.schema].parse(body)).toEqual(body);
    expect(faultsOf(answer.schema, body)).toEqual([]);
  });

  it.each(withKey)('%s: needs a key, with one of its scopes', async (_name, operation) => {
    expect(listProblems(operation)).toEqual(expect.arrayContaining([401, 403]));
    expect((await readProblem(operation, await send(operation, { key: null }))).status).toBe(401);
    const refused = await send(operation, { key: await test.makeKey(['hosts:report']) });
    const { code, scope } = await readProblem(operation, refused);
    expect([refused.status, code, scope]).toEqual([403, 'scope_missing', operation.scopes[0]]);
  });

  it.each(withKey)('%s: takes the query it names, and refuses any other', async (_name, operation) => {
    const [bare = ''] = operation.example.path.split('?');
    const errorsOf = async (query: string) => {
      const response = await send(operation, { path: `${bare}?${query}` });
      expect(response.status).toBe(400);
      return (await readProblem(operation, response)).errors;
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

describe('what it says of problems', () => {
  const withId = withKey.filter(([, { path }]) => /:(?:id|service)/.test(path));
  const withBody = named.filter(([, { body }]) => body !== undefined);

  it.each(withId)('%s: what is not there', async (_name, operation) => {
    const path = operation.path.replace(':id', `${operation.example.path.split('/')[3]?.split('_')[0]}_zzzz`);
    const response = await send(operation, { path: path.replace(':service', 'nobody') });
    expect((await readProblem(operation, response)).code).toBe('not_found');
  });

  it.each(withBody)('%s: what is no body', async (_name, operation) => {
    const long = JSON.stringify({ reason: 'x'.repeat(2 * 1024 * 1024) });
    const bodies: [number, Changes][] = [
      [415, { mediaType: 'text/plain' }],
      [413, { text: long }],
      [400, { text: '{"reason"' }],
      [400, { text: '{"surely":1}' }],
      [400, { text: '[]' }],
    ];
    for (const [status, changes] of bodies) {
      expect((await readProblem(operation, await send(operation, changes))).status).toBe(status);
    }
  });

  it.each(named)('%s: another method', async (_name, operation) => {
    const response = await test.call(operation.example.path, { method: 'PUT' });
    const { code } = problemSchema.parse(await response.json());
    expect([response.status, code]).toEqual([405, 'method_not_allowed']);
    expect(response.headers.get('allow')).toContain(operation.method.toUpperCase());
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
    for (const codes of Object.values(PROBLEM_CODES)) {
      for (const code of Object.keys(codes)) expect(text).toContain(`<code>${code}</code>`);
    }
    expect(text).toContain(EXAMPLE.payloadHash);
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
