import { reconciliationDetailSchema, reconciliationPageSchema } from '@tidegate/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { plantServices, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;

beforeAll(async () => {
  test = await startTestApi({});
  await plantServices(test.sql, ['agent', 'other'], ['agent']);
  await test.sql`
    insert into reconciliation (id, service_id, generation, trigger, started_at)
    select 'rec_' || s.name || n, s.id, n, 'release', clock_timestamp() - n * interval '1 minute'
    from service s, generate_series(1, 2) n where s.name in ('agent', 'other')`;
  await test.sql`
    insert into reconciliation_item (reconciliation_id, callback_id, outcome, reason, action, decided_at)
    select 'rec_agent1', 'cb_' || n, case when n = 3 then 'ambiguous' else 'not_started' end, 'never_attempted', 'send', clock_timestamp()
    from generate_series(1, 3) n`;
}, 60_000);

describe('GET /v1/reconciliations', () => {
  it('lists runs newest first, of one service if asked, with what they found', async () => {
    const all = reconciliationPageSchema.parse(await (await test.call('/v1/reconciliations?limit=3')).json());
    expect(all.items).toHaveLength(3);
    expect(all.nextCursor).not.toBeNull();
    const response = await test.call('/v1/reconciliations?service=agent');
    const body = await response.json();
    expect(reconciliationPageSchema.parse(body)).toEqual(body);
    expect(reconciliationPageSchema.parse(body).items.map((run) => run.id)).toEqual(['rec_agent1', 'rec_agent2']);
    expect(reconciliationPageSchema.parse(body).items[0]).toMatchObject({ complete: 0, notStarted: 2, ambiguous: 1 });
  });
});

describe('GET /v1/reconciliations/{id}', () => {
  it('shows a run with its callbacks, page by page', async () => {
    const first = await (await test.call('/v1/reconciliations/rec_agent1?limit=2')).json();
    expect(reconciliationDetailSchema.parse(first)).toEqual(first);
    expect(first).toMatchObject({ service: 'agent', trigger: 'release', nextCursor: 'cb_2' });
    const rest = await (await test.call('/v1/reconciliations/rec_agent1?limit=2&cursor=cb_2')).json();
    expect(rest).toMatchObject({
      items: [{ callback: 'cb_3', outcome: 'ambiguous', reason: 'never_attempted', action: 'send', state: null }],
      nextCursor: null,
    });
  });

  it('shows, as the list does, only runs of the services of the key', async () => {
    const key = await test.makeKey(['callbacks:review'], { services: ['other'] });
    const list = await (await test.call('/v1/reconciliations', { key })).json();
    expect(reconciliationPageSchema.parse(list).items.map((run) => run.id)).toEqual(['rec_other1', 'rec_other2']);
    expect((await test.call('/v1/reconciliations/rec_other1', { key })).status).toBe(200);
    expect((await test.call('/v1/reconciliations/rec_agent1', { key })).status).toBe(404);
  });

  it.each(['rec_nobody', 'cb_1', 'rec_%27'])('knows no %s', async (id) => {
    expect((await test.call(`/v1/reconciliations/${id}`)).status).toBe(404);
  });
});
