import { gateSchema, problemSchema } from '@tidegate/client';
import { checkChain } from '@tidegate/core';
import { readAuditAfter } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plantServices, setGate, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let onCall: string;
let override: string;

beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'other']);
  onCall = await test.makeKey(['incidents:write']);
  override = await test.makeKey(['gate:override'], { services: ['agent'] });
});
beforeEach(async () => {
  await post('release', {}, test.adminKey);
  await setGate(test.sql, 'agent', 'open');
});

const WHY = { reason: 'moving the machine', for: '2h' };

function post(order: string, body: unknown, key: string, service = 'agent'): Promise<Response> {
  return test.call(`/v1/gates/${service}/${order}`, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

async function trail() {
  const rows = await readAuditAfter(test.sql, 0, 1000);
  expect(checkChain(rows, null, auditSigner(test.keyring))).toMatchObject({ kind: 'intact' });
  return rows;
}

describe('POST /v1/gates/{service}/hold', () => {
  it('holds the gate and answers with it, and with the name of the key in the trail and a head in the log', async () => {
    const answer = await post('hold', WHY, onCall);
    expect(answer.status).toBe(200);
    expect(gateSchema.parse(await answer.json())).toMatchObject({ decision: 'held', reason: 'held_by_hand' });
    const row = (await trail()).at(-1);
    expect(row).toMatchObject({ actor: 'test', action: 'gate.hold', target: 'agent', reason: 'moving the machine' });
    expect(row?.facts.key).toMatch(/^key_/);
    const heads = test.lines.map((line) => JSON.parse(line)).filter(({ event }) => event === 'audit.head');
    expect(heads.at(-1)).toMatchObject({ seq: row?.seq, mac: `mac_${Buffer.from(row?.mac ?? []).toString('hex')}` });
  });

  it('is taken back by release, to be verified', async () => {
    await post('hold', WHY, onCall);
    const answer = await post('release', {}, onCall);
    expect(await answer.json()).toMatchObject({ decision: 'held', reason: 'hand_released' });
    const again = await post('release', {}, onCall);
    expect([again.status, problemSchema.parse(await again.json()).code]).toEqual([409, 'no_hand']);
  });
});

describe('POST /v1/gates/{service}/force-open', () => {
  it('needs gate:override, and then opens the gate and wakes the release', async () => {
    await setGate(test.sql, 'agent', 'held');
    expect((await post('force-open', WHY, onCall)).status).toBe(403);
    const before = test.wakes.count;
    const answer = await post('force-open', WHY, override);
    expect(await answer.json()).toMatchObject({ decision: 'allowed', state: 'open', reason: 'forced_open' });
    expect(test.wakes.count).toBe(before + 1);
  });
});

describe('an order', () => {
  it('about a service that is unknown or not the key’s is answered alike, and leaves no row', async () => {
    const before = (await trail()).length;
    const unknown = await post('hold', WHY, test.adminKey, 'nobody');
    const foreign = await post('hold', WHY, override, 'other');
    expect([unknown.status, foreign.status]).toEqual([404, 404]);
    expect(await unknown.text()).toBe(await foreign.text());
    expect(await trail()).toHaveLength(before);
  });

  it.each([
    ['{"reason": "x"}', 400, 'for', 'missing'],
    ['{"for": "2h"}', 400, 'reason', 'missing'],
    ['{"reason": "x", "for": "soon"}', 400, 'for', 'malformed'],
    ['{"reason": "x", "for": "0s"}', 400, 'for', 'out_of_range'],
    ['{"reason": "x", "for": "9999999999h"}', 400, 'for', 'out_of_range'],
    ['{"reason": "", "for": "2h"}', 400, 'reason', 'out_of_range'],
    ['{"reason": " \\u202e ", "for": "2h"}', 400, 'reason', 'malformed'],
    ['{"reason": "x", "for": "2h", "tdg_secretsecret": 1}', 400, 'unnamed', 'unknown'],
  ])('like %s is refused by field and code, never by value', async (body, status, field, problem) => {
    const answer = await post('hold', body, onCall);
    const text = await answer.text();
    expect(answer.status).toBe(status);
    expect(problemSchema.parse(JSON.parse(text)).errors).toEqual([{ field, problem }]);
    expect(text).not.toContain('tdg_');
  });

  it('that is no JSON, too large or without a key is refused', async () => {
    expect((await post('hold', 'not json', onCall)).status).toBe(400);
    expect((await post('hold', `{"reason": "${'x'.repeat(20_000)}", "for": "2h"}`, onCall)).status).toBe(413);
    const plain = await test.call('/v1/gates/agent/hold', { method: 'POST', key: onCall, body: 'x' });
    expect(plain.status).toBe(415);
    expect((await test.call('/v1/gates/agent/hold', { method: 'POST', key: null })).status).toBe(401);
  });

  it('keeps what a person wrote as one clean line', async () => {
    await post('hold', { reason: 'line one\nline \u001b[31mtwo', for: '2h' }, onCall);
    expect((await trail()).at(-1)?.reason).toBe('line one line two');
  });
});
