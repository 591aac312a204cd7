import { incidentDetailSchema, incidentPageSchema } from '@tidegate/client';
import { LAYERS } from '@tidegate/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { plantServices, plantSubject, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let limited: string;
let blind: string;

async function plantIncident(id: string, services: string[]): Promise<void> {
  const subject = await plantSubject(test.sql, `dev_${id.slice(4)}`, 'mac-mini');
  await test.sql`
    insert into incident (id, kind, group_id, opened_at, summary)
    values (${id}, 'device', ${subject}, now() - interval '1 minute', ${`Device mac-mini is disconnected; held: ${services.join(', ')}.`})`;
  await test.sql`insert into incident_service select ${id}, id from service where name = any(${services}::text[])`;
  await test.sql`insert into incident_subject values (${id}, ${subject}, 'device_down', now())`;
  const told = [
    ['incident.opened', 'Opened as a device outage, around the device "mac-mini".'],
    ['incident.joined', 'The tunnel "payroll-db" joined, because its device is disconnected.'],
    ...services.map((name) => ['gate.held', `The gate of ${name} was held, because a disconnect was received.`]),
    ...services.map((name) => [
      'verification.failed',
      `Verification of ${name} failed at the device layer: the device is offline.`,
    ]),
  ];
  for (const [event = '', why = ''] of told) {
    await test.sql`insert into timeline_entry (incident_id, at, event, why) values (${id}, now(), ${event}, ${why})`;
  }
  for (const name of services) await plantVerification(`ver_${id.slice(4)}${name.length}`, name);
}

async function plantVerification(id: string, service: string): Promise<void> {
  await test.sql`
    insert into verification (id, service_id, generation, started_at, finished_at, verdict, first_broken, runbook, passed, passes, overtaken)
    select ${id}, id, 1, now(), now(), 'device_offline', 'device', 'Check that the device has power.', false, 0, false
    from service where name = ${service}`;
  for (const layer of LAYERS.toReversed()) {
    const outcome = layer === 'device' ? 'fail' : 'skipped';
    const reason = layer === 'device' ? 'client_offline' : 'not_configured';
    await test.sql`
      insert into verification_layer (verification_id, layer, outcome, reason, latency_ms, detail)
      values (${id}, ${layer}, ${outcome}, ${reason}, ${layer === 'device' ? 41 : null}, 'The client is offline.')`;
  }
}

async function plantCallback(id: string, service: string, state: string): Promise<void> {
  await test.sql`
    insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url, sealed_headers,
                          sealed_idempotency_key, created_at, finished_at)
    select ${id}, id, ${Buffer.from(id)}, '', ${state}, 'POST', 'https://x.example', 'safe', 'forbidden', '', '', '', now(),
      case when ${state} = 'delivered' then now() end from service where name = ${service}`;
}

beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'agent.two', 'payroll']);
  await plantIncident('inc_shared', ['agent', 'agent.two', 'payroll']);
  await plantIncident('inc_own', ['agent']);
  const states = ['held', 'held', 'ambiguous', 'needs_review', 'delivered', 'retrying'];
  for (const [index, state] of states.entries()) await plantCallback(`cb_${index}`, 'agent', state);
  limited = await test.makeKey(['incidents:read'], { services: ['agent'] });
  blind = await test.makeKey(['incidents:read'], { services: ['elsewhere'] });
}, 60_000);

const read = async (path: string, key?: string) => {
  const response = await test.call(path, key === undefined ? {} : { key });
  return { status: response.status, body: await response.json() };
};

describe('GET /v1/incidents', () => {
  it('tells exactly the fields of the contract', async () => {
    const { body } = await read('/v1/incidents?state=open');
    const page = incidentPageSchema.parse(body);
    expect(body).toEqual(page);
    expect(page.items.find(({ id }) => id === 'inc_own')).toMatchObject({
      kind: 'device',
      state: 'open',
      group: { alias: 'dev_own', name: 'mac-mini' },
      services: ['agent'],
      resolvedAt: null,
      reopened: 0,
    });
  });

  it('leaves out of a shared incident what a limited key may not see, and foreign ones altogether', async () => {
    const { body } = await read('/v1/incidents', limited);
    const { items } = incidentPageSchema.parse(body);
    expect(items.map(({ services }) => services)).toEqual([['agent'], ['agent']]);
    expect(JSON.stringify(body)).not.toMatch(/payroll|agent\.two/);
    expect(incidentPageSchema.parse((await read('/v1/incidents', blind)).body).items).toEqual([]);
  });
});

describe('GET /v1/incidents/{id}', () => {
  it('tells timeline, verifications layer by layer, and what callbacks need', async () => {
    const { body } = await read('/v1/incidents/inc_own');
    const detail = incidentDetailSchema.parse(body);
    expect(body).toEqual(detail);
    expect(detail.timeline.map(({ event }) => event)).toEqual([
      'incident.opened',
      'incident.joined',
      'gate.held',
      'verification.failed',
    ]);
    expect(detail.nextStep).toEqual({ firstBroken: 'device', step: 'Check that the device has power.' });
    expect(detail.since).toBe(detail.openedAt);
    const [verification] = detail.verifications;
    expect(verification).toMatchObject({
      service: 'agent',
      verdict: 'device_offline',
      firstBroken: 'device',
      overtaken: false,
    });
    expect(verification?.layers.map(({ layer }) => layer)).toEqual([...LAYERS]);
    expect(verification?.layers[2]).toEqual({
      layer: 'device',
      outcome: 'fail',
      reason: 'client_offline',
      latencyMs: 41,
      detail: 'The client is offline.',
    });
    expect(detail.callbacks).toEqual({ held: 2, ambiguous: 1, needsReview: 1, delivered: 1 });
  });

  it('leaves out of a shared one whatever names or counts other services', async () => {
    const { status, body } = await read('/v1/incidents/inc_shared', limited);
    expect(status).toBe(200);
    const detail = incidentDetailSchema.parse(body);
    expect(JSON.stringify(body)).not.toMatch(/payroll|agent\.two/);
    expect(detail.services).toEqual(['agent']);
    expect(detail.timeline.map(({ event }) => event)).toEqual(['incident.opened', 'gate.held', 'verification.failed']);
    expect(new Set(detail.verifications.map(({ service }) => service))).toEqual(new Set(['agent']));
    expect(detail.callbacks).toBeNull();
  });

  it('shows a limited key all of an incident that is its own', async () => {
    expect((await read('/v1/incidents/inc_own', limited)).body).toEqual((await read('/v1/incidents/inc_own')).body);
  });

  it('answers 404 alike to what does not exist and to what is not for the key', async () => {
    const answers = [
      await read('/v1/incidents/inc_nothing'),
      await read('/v1/incidents/inc_own', blind),
      await read('/v1/incidents/cb_1'),
      await read('/v1/incidents/inc_%00'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  });

  it('shows one that was merged, though lists leave it out', async () => {
    await plantIncident('inc_gone', ['agent']);
    await test.sql`update incident set state = 'resolved', resolved_at = now(), merged_into = 'inc_own' where id = 'inc_gone'`;
    expect(incidentDetailSchema.parse((await read('/v1/incidents/inc_gone')).body).mergedInto).toBe('inc_own');
    const { items } = incidentPageSchema.parse((await read('/v1/incidents')).body);
    expect(items.map(({ id }) => id)).not.toContain('inc_gone');
  });
});
