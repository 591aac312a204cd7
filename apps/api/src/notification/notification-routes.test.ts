import { channelPageSchema, notificationPageSchema } from '@tidegate/client';
import { askForTest, registerChannels } from '@tidegate/store';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeMessage } from '../../../../test/support/make-message.ts';
import { startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let reader: string;
let limited: string;

beforeAll(async () => {
  test = await startTestApi();
  reader = await test.makeKey(['incidents:read']);
  limited = await test.makeKey(['incidents:read'], { services: ['agent'] });
  await registerChannels(test.sql, [
    { name: 'phone', type: 'pagerduty' },
    { name: 'chat', type: 'slack' },
  ]);
  for (const [id, channel, services] of [
    ['ntf_a', 'phone', ['agent']],
    ['ntf_b', 'phone', ['agent', 'other']],
    ['ntf_c', 'chat', []],
  ] as const) {
    await askForTest(test.sql, { id, channel, message: makeMessage({ thread: `test_${id}`, services }) });
  }
  await test.sql`update notification set state = 'failed', reason = 'gone', status = 404, ended_at = now(), due_at = null where id = 'ntf_a'`;
});

const list = async (query = '', key = reader) => {
  const answer = await test.call(`/v1/notifications${query}`, { key });
  expect(answer.status).toBe(200);
  return notificationPageSchema.parse(await answer.json());
};

describe('/v1/notifications', () => {
  it('shows the ledger, newest first, page by page and by what is asked for', async () => {
    expect((await list()).items.map(({ id }) => id)).toEqual(['ntf_c', 'ntf_b', 'ntf_a']);
    expect((await list('?state=failed')).items).toMatchObject([
      { id: 'ntf_a', channel: 'phone', state: 'failed', reason: 'gone', status: 404, dueAt: null },
    ]);
    expect((await list('?channel=chat')).items.map(({ id }) => id)).toEqual(['ntf_c']);
    expect((await list('?incident=inc_nothing')).items).toEqual([]);
    const first = await list('?limit=2');
    expect((await list(`?limit=2&cursor=${first.nextCursor}`)).items.map(({ id }) => id)).toEqual(['ntf_a']);
    expect((await test.call('/v1/notifications?state=lost', { key: reader })).status).toBe(400);
  });

  it('shows a key that is limited to some services what concerns those alone', async () => {
    expect((await list('', limited)).items.map(({ id }) => id)).toEqual(['ntf_a']);
  });

  it('needs a key that may read incidents', async () => {
    const other = await test.makeKey(['gate:read']);
    for (const path of ['/v1/notifications', '/v1/channels']) {
      expect((await test.call(path, { key: other })).status).toBe(403);
      expect((await test.call(path, { key: null })).status).toBe(401);
    }
  });
});

it('/v1/channels shows how each fares', async () => {
  const { items } = channelPageSchema.parse(await (await test.call('/v1/channels', { key: reader })).json());
  expect(items).toMatchObject([
    { name: 'chat', type: 'slack', waiting: 1, givenUp: 0 },
    { name: 'phone', type: 'pagerduty', waiting: 1, givenUp: 1, failures: 0, pausedUntil: null },
  ]);
});
