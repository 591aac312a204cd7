import { randomUUID } from 'node:crypto';
import { acceptedCallbackSchema, problemSchema } from '@tidegate/client';
import { loadDataKey } from '@tidegate/store';
import { createOpener, loadOpeningKeyring } from '@tidegate/vault/open';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { plantServices, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent'], ['agent']);
}, 60_000);

function post(
  body: string,
  { headers = '{}', key = randomUUID(), more = '' }: { headers?: string; key?: string; more?: string } = {},
) {
  return test.call('/v1/callbacks', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body:
      `{"service":"agent","url":"https://hooks.example.org/done","method":"POST","headers":${headers},"body": ${body} ,` +
      `${more}"safety":"unsafe","repeat":"deduplicated"}`,
  });
}

async function storedBody(response: Response): Promise<string> {
  const { id } = acceptedCallbackSchema.parse(await response.json());
  const [row] = await test.sql<{ sealed: Buffer }[]>`select sealed_body as sealed from callback where id = ${id}`;
  const keyring = await loadOpeningKeyring(test.keyringDir);
  const opener = createOpener({ keyring, loadDataKey: (key) => loadDataKey(test.sql, key) });
  return (await opener.open(row?.sealed ?? Buffer.alloc(0), { row: id, purpose: 'callback-body' })).toString('utf8');
}

describe('the body of a callback', () => {
  it.each([
    '{"2":"second","1":"first"}',
    '{"price":1.10,"big":1e21,"zero":-0,"long":0.10000000000000001}',
    '{"__proto__":{"x":1}}',
    '[ 1.0,\n "\\u00fc" ]',
    '7.50',
  ])('is sent as it was written: %s', async (body) => {
    const response = await post(body);
    expect(response.status).toBe(201);
    expect(await storedBody(response)).toBe(body);
  });

  it(verifies('I8', 'is never taken for another that JavaScript cannot tell from it'), async () => {
    expect((await post('{"order":9007199254740992}', { key: 'order' })).status).toBe(201);
    const other = await post('{"order":9007199254740993}', { key: 'order' });
    expect(other.status).toBe(400);
    const told = await other.text();
    expect(problemSchema.parse(JSON.parse(told)).errors).toEqual([{ field: 'body', problem: 'inexact_number' }]);
    expect(told).not.toContain('9007199254740993');
  });

  it.each(['{"id":12345678901234567890}', '{"a":1e400}', '[0.1000000000000000055511151231257827]'])(
    'is refused with a number that no double holds: %s',
    async (body) => {
      const response = await post(body);
      expect(response.status).toBe(400);
      expect(problemSchema.parse(await response.json()).errors).toEqual([{ field: 'body', problem: 'inexact_number' }]);
    },
  );

  it('may hold any number as text', async () => {
    const response = await post('"{\\"id\\":12345678901234567890}"');
    expect(response.status).toBe(201);
    expect(await storedBody(response)).toBe('{"id":12345678901234567890}');
  });
});

describe('a header that would become the prototype of the others', () => {
  it.each([
    ['headers', { headers: '{"__proto__":"x","x-a":"1"}' }],
    [
      'status.headers',
      {
        more: `"status":{"url":"https://hooks.example.org/s","headers":{"__proto__":"x"},
      "complete":{"status":200},"notFound":{"status":404},"settleAfter":"1s"},`,
      },
    ],
  ])('is refused in %s', async (field, options) => {
    const response = await post('"x"', options);
    expect(response.status).toBe(400);
    expect(problemSchema.parse(await response.json()).errors).toEqual([{ field, problem: 'forbidden_name' }]);
  });

  it.each([
    ['the callback', { more: '"__proto__":1,' }],
    ['status', { more: '"status":{"__proto__":{"url":"https://hooks.example.org/s"}},' }],
  ])('is no field of %s either', async (_where, options) => {
    expect((await post('"x"', options)).status).toBe(400);
  });
});
