import { blipPageSchema } from '@tidegate/client';
import { beforeAll, expect, it } from 'vitest';
import { plantServices, plantSubject, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;

beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'payroll']);
  for (const [alias, services, ago] of [
    ['dev_shared', ['agent', 'payroll'], '3 hours'],
    ['dev_own', ['agent'], '2 hours'],
    ['dev_nobody', [], '1 hour'],
  ] as const) {
    const subject = await plantSubject(test.sql, alias, 'mac-mini');
    await test.sql`insert into dependency (subject_id, service_id, origin)
                   select ${subject}, id, 'api' from service where name = any(${[...services]}::text[])`;
    await test.sql`insert into blip (group_id, first_at, last_at, count, recorded_at)
                   values (${subject}, now() - ${ago}::interval, now() - ${ago}::interval, 2, now() - ${ago}::interval)`;
  }
}, 60_000);

async function read(path: string, key?: string) {
  const body = await (await test.call(path, key === undefined ? {} : { key })).json();
  const page = blipPageSchema.parse(body);
  expect(body).toEqual(page);
  return page.items.map(({ group, services }) => [group.alias, services]);
}

it('lists drops that healed in time, newest first, with who depends on them', async () => {
  expect(await read('/v1/blips')).toEqual([
    ['dev_nobody', []],
    ['dev_own', ['agent']],
    ['dev_shared', ['agent', 'payroll']],
  ]);
});

it('filters by service and by time', async () => {
  expect((await read('/v1/blips?service=payroll')).map(([alias]) => alias)).toEqual(['dev_shared']);
  expect(await read('/v1/blips?service=nobody')).toEqual([]);
  const since = new Date(Date.now() - 2.5 * 3_600_000).toISOString();
  expect((await read(`/v1/blips?since=${since}`)).map(([alias]) => alias)).toEqual(['dev_nobody', 'dev_own']);
});

it('shows a limited key what its own services depend on, and names no other', async () => {
  const limited = await test.makeKey(['incidents:read'], { services: ['payroll'] });
  expect(await read('/v1/blips', limited)).toEqual([['dev_shared', ['payroll']]]);
  expect(await read('/v1/blips?service=agent', limited)).toEqual([]);
});
