import {
  acceptedCallbackSchema,
  type CallbackRequest,
  callbackDetailSchema,
  callbackPageSchema,
  problemSchema,
} from '@tidegate/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { plantServices, setGate, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let keys = 0;
beforeAll(async () => {
  test = await startTestApi({
    callbackOrigins: new Map([['limited', new Set(['https://hooks.example.org'])]]),
  });
  await plantServices(test.sql, ['agent', 'shut', 'limited'], ['agent']);
}, 60_000);

const valid: CallbackRequest = {
  service: 'agent',
  url: 'https://hooks.example.org/done',
  method: 'POST',
  headers: {},
  body: '{"done":true}',
  safety: 'unsafe',
  repeat: 'deduplicated',
};

const status = {
  url: 'https://status.example.org/of?key=zqstatus8842',
  complete: { status: 200, bodyIncludes: 'complete' },
  notFound: { status: 404 },
  settleAfter: '30s',
};

function freshKey(): string {
  keys += 1;
  return `order-${keys}`;
}

function post(
  body: unknown,
  options: { key?: string; idempotencyKey?: string | null; headers?: Record<string, string> } = {},
) {
  const idempotencyKey = options.idempotencyKey === undefined ? freshKey() : options.idempotencyKey;
  return test.call('/v1/callbacks', {
    method: 'POST',
    ...(options.key !== undefined && { key: options.key }),
    headers: {
      'content-type': 'application/json',
      ...(idempotencyKey !== null && { 'idempotency-key': idempotencyKey }),
      ...options.headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const refused = async (response: Response) => {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  return problemSchema.parse(await response.json());
};
const rows = async () => {
  const [row] = await test.sql<{ n: number }[]>`select count(*)::int as n from callback`;
  return row?.n ?? Number.NaN;
};

describe('POST /v1/callbacks', () => {
  it('takes a callback over: queued behind an open gate, held behind a shut one', async () => {
    const wakes = test.wakes.count;
    const response = await post(valid, { idempotencyKey: '"quoted-1"' });
    expect(response.status).toBe(201);
    const body = await response.json();
    const callback = acceptedCallbackSchema.parse(body);
    expect(body).toEqual(callback);
    expect(callback).toMatchObject({
      service: 'agent',
      state: 'queued',
      method: 'POST',
      origin: 'https://hooks.example.org',
      idempotencyKey: 'quoted-1',
      attempts: 0,
      safety: 'unsafe',
      repeat: 'deduplicated',
    });
    expect(callback.id).toMatch(/^cb_[a-z2-7]{24}$/);
    expect(response.headers.get('location')).toBe(`/v1/callbacks/${callback.id}`);
    expect(response.headers.get('idempotency-replayed')).toBeNull();
    expect(test.wakes.count).toBe(wakes + 1);
    const held = acceptedCallbackSchema.parse(await (await post({ ...valid, service: 'shut' })).json());
    expect(held.state).toBe('held');
  });

  it('logs that it did, by id and service', async () => {
    const { id } = acceptedCallbackSchema.parse(await (await post(valid)).json());
    const line = test.lines.map((text) => JSON.parse(text)).find((entry) => entry.callback === id);
    expect(line).toMatchObject({ event: 'callback.recorded', service: 'agent', state: 'queued' });
  });

  it(verifies('I8', 'answers a replay with the recorded callback in its present state'), async () => {
    const idempotencyKey = freshKey();
    const first = acceptedCallbackSchema.parse(await (await post(valid, { idempotencyKey })).json());
    await test.sql`update callback set state = 'delivered', attempts = 2, finished_at = clock_timestamp() where id = ${first.id}`;
    const before = await rows();
    const response = await post(valid, { idempotencyKey: `"${idempotencyKey}"` });
    expect(response.status).toBe(201);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect(acceptedCallbackSchema.parse(await response.json())).toMatchObject({
      id: first.id,
      state: 'delivered',
      attempts: 2,
      idempotencyKey,
      createdAt: first.createdAt,
    });
    expect(await rows()).toBe(before);
  });

  it(verifies('I8', 'takes payloads for equal whatever their spelling, and for different by any field'), async () => {
    const idempotencyKey = freshKey();
    const payload = { ...valid, body: { a: 1, b: [true, null], c: 'ü' }, headers: { 'x-a': '1', 'x-b': '2' } };
    const first = await post(payload, { idempotencyKey });
    expect(first.status).toBe(201);
    const respelled =
      '{ "repeat":"deduplicated", "safety":"unsafe", "body":{"c":"\\u00fc","b":[true,null],"a":1.0},\n' +
      '"headers":{"x-b":"2","x-a":"1"},"method":"POST","url":"https://hooks.example.org/done","service":"agent"}';
    const again = await post(respelled, { idempotencyKey });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
    const others = [
      { ...payload, url: 'https://hooks.example.org/done?x=1' },
      { ...payload, method: 'PUT' },
      { ...payload, headers: { 'x-a': '1' } },
      { ...payload, body: { ...payload.body, a: 2 } },
      { ...payload, body: JSON.stringify(payload.body) },
      { ...payload, safety: 'safe' },
      { ...payload, repeat: 'forbidden' },
      { ...payload, deadline: '2030-01-01T00:00:00Z' },
    ];
    for (const other of others) {
      const response = await post(other, { idempotencyKey });
      expect(response.status).toBe(422);
      expect(await refused(response)).toMatchObject({ code: 'idempotency_key_reused' });
    }
    expect((await post({ ...payload, service: 'shut' }, { idempotencyKey })).status).toBe(201);
  });

  it('keeps a deadline, and answers a replay after it as before', async () => {
    const idempotencyKey = freshKey();
    const payload = { ...valid, deadline: '2020-02-03T04:05:06.789+02:00' };
    const { id } = acceptedCallbackSchema.parse(await (await post(payload, { idempotencyKey })).json());
    const [row] = await test.sql<{ deadlineAt: Date }[]>`select deadline_at from callback where id = ${id}`;
    expect(row?.deadlineAt.toISOString()).toBe('2020-02-03T02:05:06.789Z');
    expect((await post(payload, { idempotencyKey })).headers.get('idempotency-replayed')).toBe('true');
  });

  it.each<[string, Partial<Record<keyof CallbackRequest | 'extra', unknown>>, object]>([
    ['a missing url', { url: undefined }, { field: 'url', problem: 'missing' }],
    ['a missing safety', { safety: undefined }, { field: 'safety', problem: 'missing' }],
    ['an unknown repeat', { repeat: 'maybe' }, { field: 'repeat', problem: 'not_allowed' }],
    ['a url that is none', { url: 'nowhere' }, { field: 'url', problem: 'malformed' }],
    ['userinfo', { url: 'https://u:p@hooks.example.org/' }, { field: 'url', problem: 'userinfo' }],
    ['another scheme', { url: 'ftp://hooks.example.org/' }, { field: 'url', problem: 'scheme' }],
    ['a method in lower case', { method: 'post' }, { field: 'method', problem: 'not_allowed' }],
    ['a header of ours', { headers: { 'Webhook-Id': 'x' } }, { field: 'headers', problem: 'forbidden_name' }],
    ['a split header', { headers: { 'x-a': 'a\r\nb: c' } }, { field: 'headers', problem: 'malformed_value' }],
    ['a header that is no text', { headers: { 'x-a': 1 } }, { field: 'headers', problem: 'wrong_type' }],
    ['a body with GET', { method: 'GET' }, { field: 'body', problem: 'not_allowed' }],
    ['a service that cannot be one', { service: 'a b' }, { field: 'service', problem: 'malformed' }],
    ['a deadline without a zone', { deadline: '2030-01-01T00:00:00' }, { field: 'deadline', problem: 'malformed' }],
    ['a deadline out of range', { deadline: '9999-12-31T23:59:59-12:00' }, { field: 'deadline', problem: 'malformed' }],
    ['an unknown field', { extra: 1 }, { field: 'extra', problem: 'unknown' }],
  ])('refuses %s', async (_name, change, error) => {
    const response = await post({ ...valid, ...change });
    expect(response.status).toBe(400);
    expect((await refused(response)).errors).toEqual([error]);
  });

  it(verifies('I3', 'keeps how to ask for the outcome sealed, and an ordering key as a keyed hash'), async () => {
    const payload = { ...valid, status, orderingKey: 'zqorder8841' };
    const { id } = acceptedCallbackSchema.parse(await (await post(payload)).json());
    const [row] = await test.sql`select * from callback where id = ${id}`;
    expect(row).toMatchObject({ settleAfterMs: 30_000, orderingHash: expect.any(Buffer), passesHeld: false });
    for (const hidden of ['zqstatus8842', 'zqorder8841']) {
      for (const value of Object.values(row ?? {})) expect(String(value)).not.toContain(hidden);
    }
    const second = acceptedCallbackSchema.parse(await (await post(payload)).json());
    const [{ same } = { same: 0 }] = await test.sql<{ same: number }[]>`
      select count(distinct ordering_hash)::int as same from callback where id in (${id}, ${second.id})`;
    expect(same).toBe(1);
  });

  it('queues behind a shut gate only what is safe and declared to pass it', async () => {
    const shut = { ...valid, service: 'shut' };
    const passing = acceptedCallbackSchema.parse(
      await (await post({ ...shut, safety: 'safe', passHeld: true })).json(),
    );
    expect(passing.state).toBe('queued');
    expect(acceptedCallbackSchema.parse(await (await post({ ...shut, safety: 'safe' })).json()).state).toBe('held');
    const response = await post({ ...shut, passHeld: true });
    expect(response.status).toBe(400);
    expect((await refused(response)).errors).toEqual([{ field: 'passHeld', problem: 'not_allowed' }]);
  });

  it.each<[string, object, string]>([
    ['a status URL that is none', { url: 'nowhere' }, 'status.url'],
    ['a header of ours in a lookup', { headers: { 'webhook-id': 'x' } }, 'status.headers'],
    ['a settleAfter of a week', { settleAfter: '168h' }, 'status.settleAfter'],
    ['no settleAfter', { settleAfter: undefined }, 'status'],
    ['a status that is no final one', { complete: { status: 102 } }, 'status'],
  ])('refuses %s', async (_name, change, field) => {
    const response = await post({ ...valid, status: { ...status, ...change } });
    expect(response.status).toBe(400);
    expect((await refused(response)).errors?.map((error) => error.field)).toEqual([field]);
  });

  it('asks for no outcome where callbacks of the service may not go', async () => {
    const response = await post({ ...valid, service: 'limited', status });
    expect([response.status, (await refused(response)).code]).toEqual([422, 'destination_refused']);
  });

  it.each([
    ['{', 'malformed_json'],
    ['', 'malformed_json'],
    ['[]', 'malformed_request'],
    ['"text"', 'malformed_request'],
    ['{"service":"agent","service":"shut"}', 'malformed_json'],
    ['{"body":"\\ud800"}', 'malformed_json'],
    ['{"body":"\\u0000"}', 'malformed_json'],
    [`{"body":${'['.repeat(1000)}${']'.repeat(1000)}}`, 'malformed_json'],
    ['{"__proto__":{"a":1}}', 'malformed_request'],
  ])('refuses the body %j', async (body, code) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    expect((await refused(response)).code).toBe(code);
  });

  it.each([
    ['none', null, 'missing'],
    ['a blank', 'a b', 'malformed'],
    ['half a quote', '"a', 'malformed'],
    ['too much', 'k'.repeat(256), 'too_long'],
    ['two', 'a, b', 'malformed'],
  ])('needs a usable Idempotency-Key: %s', async (_name, idempotencyKey, problem) => {
    const response = await post(valid, { idempotencyKey });
    expect(response.status).toBe(400);
    expect((await refused(response)).errors).toEqual([{ field: 'Idempotency-Key', problem }]);
  });

  it.each(['text/plain', 'application/json; charset=latin1', 'application/jsonx', 'multipart/form-data'])(
    'refuses the content type %s',
    async (type) => {
      const response = await post(valid, { headers: { 'content-type': type } });
      expect(response.status).toBe(415);
      expect((await refused(response)).code).toBe('not_json');
    },
  );

  it('takes JSON with a charset', async () => {
    expect((await post(valid, { headers: { 'content-type': 'Application/JSON; Charset="UTF-8"' } })).status).toBe(201);
  });

  it('refuses an unknown service, and a destination that the config does not name', async () => {
    const unknown = await post({ ...valid, service: 'nobody' });
    expect([unknown.status, (await refused(unknown)).code]).toEqual([422, 'unknown_service']);
    const elsewhere = await post({ ...valid, service: 'limited', url: 'https://elsewhere.example.org/' });
    expect([elsewhere.status, (await refused(elsewhere)).code]).toEqual([422, 'destination_refused']);
    expect((await post({ ...valid, service: 'limited' })).status).toBe(201);
  });
});

describe('GET /v1/callbacks', () => {
  it('lists by service and state, without anything that was sealed', async () => {
    await setGate(test.sql, 'shut', 'held');
    await post({ ...valid, service: 'shut' });
    const page = callbackPageSchema.parse(await (await test.call('/v1/callbacks?service=shut&state=held')).json());
    expect(page.items.length).toBeGreaterThan(0);
    expect(page.items.every(({ service, state }) => service === 'shut' && state === 'held')).toBe(true);
    const none = callbackPageSchema.parse(await (await test.call('/v1/callbacks?service=nobody')).json());
    expect(none).toEqual({ items: [], nextCursor: null });
  });

  it('keeps to the filter from page to page', async () => {
    for (const service of ['shut', 'agent', 'shut', 'limited', 'shut']) await post({ ...valid, service });
    const seen: string[] = [];
    let query: string | null = '';
    while (query !== null) {
      const answer = await test.call(`/v1/callbacks?service=shut&state=held&limit=1${query}`);
      const { items, nextCursor } = callbackPageSchema.parse(await answer.json());
      expect(items).toMatchObject([{ service: 'shut', state: 'held' }]);
      seen.push(...items.map(({ id }) => id));
      query = nextCursor === null ? null : `&cursor=${nextCursor}`;
    }
    const rows = await test.sql<{ id: string }[]>`
      select c.id from callback c join service s on s.id = c.service_id
      where s.name = 'shut' and c.state = 'held' order by c.created_at desc, c.id desc`;
    expect(seen).toEqual(rows.map(({ id }) => id));
    expect((await test.call('/v1/callbacks?state=lost')).status).toBe(400);
  });

  it('tells one with its attempts, and with the run that sorted it last', async () => {
    const { id } = acceptedCallbackSchema.parse(await (await post(valid)).json());
    await test.sql`
      insert into attempt (callback_id, number, generation, started_at, lease_until, finished_at, phase, status, reason, latency_ms)
      values (${id}, 1, 1, now(), now(), now(), 'answered', 503, 'server_error', 12), (${id}, 2, 1, now(), now(), null, null, null, null, null)`;
    await test.sql`
      insert into reconciliation (id, service_id, generation, trigger, started_at)
      select 'rec_told', service_id, 1, 'release', now() from callback where id = ${id}`;
    await test.sql`
      insert into reconciliation_item (reconciliation_id, callback_id, outcome, reason, action, decided_at)
      values ('rec_told', ${id}, 'not_started', 'never_sent', 'send', now())`;
    await test.sql`update callback set reconciliation_id = 'rec_told', deadline_at = '2030-01-01T00:00:00Z' where id = ${id}`;
    const body = await (await test.call(`/v1/callbacks/${id}`)).json();
    const detail = callbackDetailSchema.parse(body);
    expect(body).toEqual(detail);
    expect(detail).toMatchObject({
      deadlineAt: '2030-01-01T00:00:00.000Z',
      reconciliation: { id: 'rec_told', outcome: 'not_started', reason: 'never_sent', action: 'send' },
    });
    expect((await test.call(`/v1/reconciliations/${detail.reconciliation?.id}`)).status).toBe(200);
    expect(detail.tries).toMatchObject([
      { number: 1, phase: 'answered', status: 503, reason: 'server_error', latencyMs: 12 },
      { number: 2, phase: null, finishedAt: null },
    ]);
  });

  it.each(['cb_nothing', 'cb_', 'inc_1', 'cb_%00', 'cb_a%2Fb'])('answers 404 to the id %j', async (id) => {
    expect((await test.call(`/v1/callbacks/${id}`)).status).toBe(404);
  });
});
