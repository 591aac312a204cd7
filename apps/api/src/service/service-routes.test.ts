import { servicePageSchema, sourcePageSchema } from '@tidegate/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { plantServices, plantSubject, setGate, startTestApi, type TestApi } from '../../test/start-test-api.ts';
import { listProbes } from './list-probes.ts';

let test: TestApi;
let limited: string;
beforeAll(async () => {
  test = await startTestApi({ probes: new Map([['agent', ['local_liveness', 'application']]]) });
  await plantServices(test.sql, ['agent', 'payroll'], ['agent']);
  const device = await plantSubject(test.sql, 'dev_1', 'mac-mini');
  await test.sql`update service set device_id = ${device} where name = 'agent'`;
  for (const [id, minutes] of [
    ['ver_older', 2],
    ['ver_newer', 1],
  ] as const) {
    await test.sql`
      insert into verification (id, service_id, generation, started_at, finished_at, verdict, runbook, passed, passes, overtaken)
      select ${id}, id, 1, now() - make_interval(mins => ${minutes}), now(), 'healthy', 'Do nothing.', true, 1, false
      from service where name = 'agent'`;
  }
  await test.sql`insert into source (name, group_name, time_zone, watch, last_seen_at) values ('home', 'g', 'Europe/Paris', 'all', now())`;
  await test.sql`insert into source_counter select id, 'recorded', 7 from source`;
  limited = await test.makeKey(['incidents:read'], { services: ['payroll'] });
}, 60_000);

const services = async (key?: string) => {
  const body = await (await test.call('/v1/services', key === undefined ? {} : { key })).json();
  const page = servicePageSchema.parse(body);
  expect(body).toEqual(page);
  return page.items;
};

describe('GET /v1/services', () => {
  it('tells each with its gate, its layers and its last verification', async () => {
    const [, agent] = await services();
    expect(agent).toMatchObject({
      name: 'agent',
      source: 'src',
      device: 'dev_1',
      tunnel: null,
      probes: ['local_liveness', 'application'],
      gate: { service: 'agent', decision: 'allowed', state: 'open' },
      lastVerification: { id: 'ver_newer', verdict: 'healthy', firstBroken: null },
    });
    await setGate(test.sql, 'agent', 'held');
    expect((await services())[1]?.gate.decision).toBe('held');
  });

  it('leaves out what is retired, and what a limited key may not see', async () => {
    expect((await services(limited)).map(({ name }) => name)).toEqual(['payroll']);
    await test.sql`update service set retired_at = now() where name = 'agent'`;
    expect((await services()).map(({ name }) => name)).toEqual(['payroll']);
  });

  it('knows a probe by its layer, and device and tunnel only where the account may be asked', () => {
    const probes = { liveness: null, readiness: null, public: null, application: null };
    const url = { url: 'https://x.example', headers: {}, expect: { status: 200, bodyIncludes: null, nonce: false } };
    const service = { name: 'a', device: null, tunnel: '1', probes: { ...probes, public: url } };
    type Config = Parameters<typeof listProbes>[0];
    const config = (localtonet: object | null) => ({ services: [service], localtonet }) as unknown as Config;
    expect(listProbes(config(null)).get('a')).toEqual(['public']);
    expect(listProbes(config({})).get('a')).toEqual(['device', 'tunnel', 'public']);
  });
});

describe('GET /v1/sources', () => {
  it('tells when each was heard and what became of its deliveries, and is not for a limited key', async () => {
    const body = await (await test.call('/v1/sources')).json();
    const page = sourcePageSchema.parse(body);
    expect(body).toEqual(page);
    expect(page.items).toMatchObject([
      { name: 'home', group: 'g', timeZone: 'Europe/Paris', watch: 'all', deliveries: { recorded: 7 } },
    ]);
    expect((await test.call('/v1/sources', { key: limited })).status).toBe(403);
  });
});
