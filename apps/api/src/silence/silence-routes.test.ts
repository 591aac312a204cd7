import { problemSchema, silencePageSchema, silenceSchema } from '@tidegate/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { plantServices, plantSubject, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let onCall: string;
let limited: string;

beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'other']);
  await plantSubject(test.sql, 'dev_k3');
  onCall = await test.makeKey(['incidents:write']);
  limited = await test.makeKey(['incidents:write'], { services: ['agent'] });
});

const WHY = { reason: 'planned move', for: '2h' };

function post(body: unknown, key = onCall): Promise<Response> {
  return test.call('/v1/silences', {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function list(key = onCall, query = ''): Promise<string[]> {
  const page = silencePageSchema.parse(await (await test.call(`/v1/silences${query}`, { key })).json());
  return page.items.map(({ scope, target }) => `${scope} ${target}`);
}

describe('/v1/silences', () => {
  it('adds, lists and ends silences', async () => {
    const answer = await post({ scope: 'service', target: 'agent', ...WHY });
    expect(answer.status).toBe(201);
    const silence = silenceSchema.parse(await answer.json());
    expect(silence).toMatchObject({ actor: 'test', live: true, endedAt: null });
    expect(answer.headers.get('location')).toBe(`/v1/silences/${silence.id}`);
    await post({ scope: 'group', target: 'dev_k3', ...WHY });
    await post({ scope: 'all', ...WHY });
    expect(await list()).toEqual(['all null', 'group dev_k3', 'service agent']);
    for (let round = 0; round < 2; round += 1) {
      const ended = await test.call(`/v1/silences/${silence.id}`, { method: 'DELETE', key: onCall });
      expect(silenceSchema.parse(await ended.json())).toMatchObject({ live: false, endedAt: expect.any(String) });
    }
    expect(await list()).toEqual(['all null', 'group dev_k3']);
    expect(await list(onCall, '?state=all')).toHaveLength(3);
    expect((await test.call('/v1/silences/sil_nobody', { method: 'DELETE', key: onCall })).status).toBe(404);
  });

  it('refuses a target that does not exist, is missing or is not one', async () => {
    const codes = await Promise.all(
      [
        { scope: 'service', target: 'agnet', ...WHY },
        { scope: 'service', ...WHY },
        { scope: 'all', target: 'agent', ...WHY },
        { scope: 'group', target: 'agent', ...WHY },
        { scope: 'everything', ...WHY },
      ].map(async (body) => problemSchema.parse(await (await post(body)).json()).code),
    );
    expect(codes).toEqual(['unknown_target', ...Array.from({ length: 4 }, () => 'malformed_request')]);
  });

  it('lets a key that is limited to some services mute, see and end those only', async () => {
    expect((await post({ scope: 'all', ...WHY }, limited)).status).toBe(403);
    expect((await post({ scope: 'service', target: 'other', ...WHY }, limited)).status).toBe(403);
    expect((await post({ scope: 'service', target: 'agent', ...WHY }, limited)).status).toBe(201);
    expect(await list(limited)).toEqual(['service agent']);
    const [all] = silencePageSchema
      .parse(await (await test.call('/v1/silences', { key: onCall })).json())
      .items.filter(({ scope }) => scope === 'all');
    expect((await test.call(`/v1/silences/${all?.id}`, { method: 'DELETE', key: limited })).status).toBe(404);
    const reader = await test.makeKey(['incidents:read']);
    expect((await post({ scope: 'all', ...WHY }, reader)).status).toBe(403);
    expect((await test.call('/v1/silences', { key: reader })).status).toBe(200);
  });
});
