import { acceptedCallbackSchema, problemSchema } from '@tidegate/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { callHttp, type HttpAnswer } from '../../../../test/support/call-http.ts';
import { plantServices, startTestApi, type TestApi } from '../../test/start-test-api.ts';

const MIB = 1024 * 1024;

let test: TestApi;
let keys = 0;
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent']);
}, 60_000);

const payload = {
  service: 'agent',
  url: 'https://hooks.example.org/done',
  method: 'POST',
  safety: 'safe',
  repeat: 'forbidden',
};

function post(body: string | Buffer, chunked = false): Promise<HttpAnswer> {
  keys += 1;
  const headers = {
    authorization: `Bearer ${test.adminKey}`,
    'content-type': 'application/json',
    'idempotency-key': `limit-${keys}`,
  };
  return callHttp(`http://127.0.0.1:${test.api.port}/v1/callbacks`, { method: 'POST', headers, body, chunked });
}

/** A request of exactly so many bytes, most of them of two-byte letters. */
function requestOf(bytes: number): string {
  const empty = JSON.stringify({ ...payload, body: '' });
  const left = bytes - Buffer.byteLength(empty);
  return JSON.stringify({ ...payload, body: 'ü'.repeat(Math.floor(left / 2)) + 'x'.repeat(left % 2) });
}

describe('the size of a request', () => {
  it.each([
    ['announced', false],
    ['unannounced', true],
  ])('may be 1 MiB and not a byte more, %s', async (_name, chunked) => {
    const most = requestOf(MIB);
    expect(Buffer.byteLength(most)).toBe(MIB);
    expect((await post(most, chunked)).status).toBe(201);
    const before = (await test.sql`select 1 from callback`).length;
    const refused = await post(requestOf(MIB + 1), chunked);
    expect(refused.status).toBe(413);
    expect(refused.headers['content-type']).toBe('application/problem+json');
    expect(problemSchema.parse(refused.json()).code).toBe('body_too_large');
    expect(await test.sql`select 1 from callback`).toHaveLength(before);
  });
});

describe('passHeld', () => {
  const stateOf = async (change: object) =>
    acceptedCallbackSchema.parse((await post(JSON.stringify({ ...payload, ...change }))).json()).state;

  it('lets past a shut gate what declares it, and nothing that is only safe', async () => {
    expect(await stateOf({ passHeld: true })).toBe('queued');
    expect(await stateOf({ passHeld: false })).toBe('held');
    expect(await stateOf({})).toBe('held');
  });

  it('is refused for what is unsafe, and of any other type', async () => {
    for (const change of [{ safety: 'unsafe', passHeld: true }, { passHeld: 'yes' }, { passHeld: null }]) {
      const answer = await post(JSON.stringify({ ...payload, ...change }));
      expect(answer.status).toBe(400);
      expect(problemSchema.parse(answer.json()).errors?.map(({ field }) => field)).toEqual(['passHeld']);
    }
  });

  it('does not pass a gate that a person holds', async () => {
    const headers = { 'content-type': 'application/json' };
    const hold = JSON.stringify({ reason: 'moving the machine', for: '1h' });
    expect((await test.call('/v1/gates/agent/hold', { method: 'POST', headers, body: hold })).status).toBe(200);
    expect(await stateOf({ passHeld: true })).toBe('held');
  });
});
