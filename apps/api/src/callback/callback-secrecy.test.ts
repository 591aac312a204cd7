import { acceptedCallbackSchema, reviewSchema } from '@tidegate/client';
import { createMetrics } from '@tidegate/runtime';
import { loadDataKey } from '@tidegate/store';
import { lookupHash } from '@tidegate/vault';
import { createOpener, loadOpeningKeyring } from '@tidegate/vault/open';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { plantServices, startTestApi, type TestApi } from '../../test/start-test-api.ts';

const CANARIES = ['canary-path-7c1', 'canary-query-91d', 'canary-header-5ae', 'canary-body-e07', 'canary-idem-33b'];
const [path, query, header, body, idempotencyKey] = CANARIES as [string, string, string, string, string];

const payload = {
  service: 'agent',
  url: `https://hooks.example.org/${path}?token=${query}`,
  method: 'POST',
  headers: { authorization: `Bearer ${header}`, 'x-größe': 'x' },
  body: { secret: body, ü: '✓' },
  safety: 'unsafe',
  repeat: 'forbidden',
};

const statusWithCanaries = {
  url: `https://hooks.example.org/${path}/status?token=${query}`,
  headers: { authorization: `Bearer ${header}` },
  complete: { status: 200, bodyIncludes: body },
  notFound: { status: 404 },
  settleAfter: '30s',
};

let test: TestApi;
const metrics = createMetrics({ app: 'api' });
beforeAll(async () => {
  test = await startTestApi({ metrics });
  await plantServices(test.sql, ['agent']);
}, 60_000);

function post(changes: object = {}, options: { key?: string; idempotencyKey?: string } = {}) {
  return test.call('/v1/callbacks', {
    method: 'POST',
    ...(options.key !== undefined && { key: options.key }),
    headers: { 'content-type': 'application/json', 'idempotency-key': options.idempotencyKey ?? idempotencyKey },
    body: JSON.stringify({ ...payload, headers: { authorization: payload.headers.authorization }, ...changes }),
  });
}

/** Everything in every table of every schema of ours, as text. */
async function dumpDatabase(): Promise<string> {
  const tables = await test.sql<{ name: string }[]>`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`;
  const texts = await Promise.all(
    tables.map(({ name }) =>
      test.sql.unsafe(`select coalesce(string_agg(t::text, E'\\n'), '') as text from ${name} t`),
    ),
  );
  return texts.map(([row]) => String(row?.text)).join('\n');
}

function spellings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = bytes.toString('base64').replace(/=+$/, '').slice(0, -1);
  return [
    secret,
    bytes.toString('hex'),
    base64,
    encodeURIComponent(secret),
    Buffer.from(secret, 'utf16le').toString('hex'),
  ];
}

const findIn = (text: string) =>
  CANARIES.filter((canary) => spellings(canary).some((spelling) => text.includes(spelling)));

describe('what an agent hands over', () => {
  it(verifies('I3', 'is in no column, log line, metric or list; the worker alone can open it'), async () => {
    const limited = await test.makeKey(['callbacks:write'], { services: ['agent'] });
    const response = await post({}, { key: limited });
    expect(response.status).toBe(201);
    const text = await response.text();
    // The sender gets its own key back; nothing else of what it sent.
    expect(findIn(text)).toEqual([idempotencyKey]);
    const { id } = acceptedCallbackSchema.parse(JSON.parse(text));
    await post({ body: 'other' });
    await post({ url: `https://user:${query}@hooks.example.org/` }, { idempotencyKey: 'x' });

    const answers = await Promise.all(
      ['/v1/callbacks', `/v1/callbacks/${id}`, '/v1/incidents', '/v1/gates'].map(async (where) =>
        (await test.call(where)).text(),
      ),
    );
    expect(findIn(answers.join('\n'))).toEqual([]);
    expect(answers.join('\n')).toContain('https://hooks.example.org');
    expect(findIn(test.lines.join('\n'))).toEqual([]);
    expect(findIn(await metrics.text())).toEqual([]);
    const dump = await dumpDatabase();
    expect(dump).toContain(id);
    expect(findIn(dump)).toEqual([]);
    expect(dump).not.toContain(limited);
    expect(test.lines.join('\n')).not.toContain(limited);

    const [row] = await test.sql<Record<string, Buffer>[]>`
      select sealed_url as url, sealed_headers as headers, sealed_body as body, sealed_idempotency_key as key from callback where id = ${id}`;
    const opener = createOpener({
      keyring: await loadOpeningKeyring(test.keyringDir),
      loadDataKey: (dataKey) => loadDataKey(test.sql, dataKey),
    });
    const open = async (
      name: string,
      purpose: 'callback-url' | 'callback-headers' | 'callback-body' | 'callback-idempotency-key',
    ) => (await opener.open(row?.[name] ?? Buffer.alloc(0), { row: id, purpose })).toString('utf8');
    expect(await open('url', 'callback-url')).toBe(payload.url);
    expect(JSON.parse(await open('headers', 'callback-headers'))).toEqual({
      authorization: payload.headers.authorization,
      'content-type': 'application/json',
    });
    expect(await open('body', 'callback-body')).toBe(JSON.stringify(payload.body));
    expect(await open('key', 'callback-idempotency-key')).toBe(idempotencyKey);
  });

  it(verifies('I3', 'is in no answer, refusal, trail or log line of a review'), async () => {
    const taken = await post(
      { status: statusWithCanaries, orderingKey: body },
      { idempotencyKey: `${idempotencyKey}-r` },
    );
    const { id } = acceptedCallbackSchema.parse(await taken.json());
    const plant = (state: string) =>
      test.sql`update callback set state = ${state}, finished_at = null where id = ${id}`;
    await test.sql`
      insert into reconciliation (id, service_id, generation, trigger, started_at)
      select 'rec_leak', service_id, 1, 'attempt', now() from callback where id = ${id}`;
    await test.sql`
      insert into reconciliation_item (reconciliation_id, callback_id, outcome, reason, action, decided_at)
      values ('rec_leak', ${id}, 'ambiguous', 'outcome_unknown', 'review', now())`;
    await test.sql`
      insert into attempt (callback_id, number, generation, started_at, lease_until, finished_at, phase, reason, latency_ms)
      values (${id}, 1, 1, now(), now(), now(), 'maybe_received', 'reset', 12)`;
    await test.sql`update callback set attempts = 1, reconciliation_id = 'rec_leak', unknown_since = now() where id = ${id}`;
    await plant('needs_review');
    const say = (where: string, content?: object) =>
      test.call(where, {
        ...(content && { method: 'POST', body: JSON.stringify(content) }),
        headers: { 'content-type': 'application/json' },
      });
    const shown = await (await say(`/v1/reviews/${id}`)).text();
    const { payloadHash } = reviewSchema.parse(JSON.parse(shown));
    const why = { reason: 'seen in the books' };
    const answers = [
      await say('/v1/reviews'),
      await say(`/v1/reviews/${id}/approve`, { ...why, payloadHash: 'f'.repeat(64) }),
      await say(`/v1/reviews/${id}/approve`, { ...why, payloadHash: idempotencyKey }),
      await say(`/v1/reviews/${id}/approve`, { ...why, payloadHash }),
      await say(`/v1/reviews/${id}/deny`, why),
      await say(`/v1/callbacks/${id}/redrive`, why),
      await say(`/v1/callbacks/${id}/cancel`, why),
      await say('/v1/reconciliations'),
      await say('/v1/reconciliations/rec_leak'),
    ];
    for (const decision of ['deny', 'complete']) {
      await plant('needs_review');
      answers.push(await say(`/v1/reviews/${id}/${decision}`, why));
    }
    await plant('failed');
    answers.push(await say(`/v1/callbacks/${id}/redrive`, why));
    await plant('needs_review');
    answers.push(await say(`/v1/callbacks/${id}`), await say(`/v1/reviews/${id}`));
    expect(answers.map(({ status }) => status)).toEqual([
      200, 409, 400, 200, 409, 409, 200, 200, 200, 200, 200, 200, 200, 200,
    ]);
    const texts = [shown, ...(await Promise.all(answers.map((answer) => answer.text())))];
    expect(findIn(texts.join('\n'))).toEqual([]);
    for (const purpose of ['idempotency-key', 'ordering-key'] as const) {
      const secret = purpose === 'ordering-key' ? body : `${idempotencyKey}-r`;
      expect(texts.join('\n')).not.toContain(lookupHash(test.keyring, purpose, secret).toString('hex'));
    }
    expect(texts.join('\n')).toContain(payloadHash);
    expect(findIn(test.lines.join('\n'))).toEqual([]);
    expect(findIn(await dumpDatabase())).toEqual([]);
  });

  it(verifies('I3', 'the search finds a canary that was planted in the open'), async () => {
    await test.sql`create table planted (n integer, hex bytea)`;
    await test.sql`insert into planted values (1, ${Buffer.from(body)})`;
    expect(findIn(await dumpDatabase())).toEqual([body]);
    await test.sql`drop table planted`;
  });

  it(verifies('I3', 'no refusal repeats what was received'), async () => {
    const wrong = [
      { url: `ftp://${query}/` },
      { method: header },
      { service: `${body} ` },
      { headers: { [`${header} `]: 'x' } },
      { headers: { 'x-a': `${header}\n` } },
      { headers: { authorization: 7, [header]: 'x' } },
      { safety: body },
      { deadline: body },
      { [body]: 1 },
      { status: { url: query } },
      { service: 'nobody' },
    ];
    const answers = await Promise.all(wrong.map(async (change) => post(change, { idempotencyKey: 'y' })));
    expect(answers.every(({ status }) => status === 400 || status === 422)).toBe(true);
    const unusable = await post({}, { idempotencyKey: `${idempotencyKey} ${idempotencyKey}` });
    const texts = await Promise.all([...answers, unusable].map((answer) => answer.text()));
    expect(findIn(texts.join('\n'))).toEqual([]);
    expect(findIn(test.lines.join('\n'))).toEqual([]);
  });
});
