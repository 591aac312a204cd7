import { incidentDetailSchema, problemSchema } from '@tidegate/client';
import { readAuditAfter } from '@tidegate/store';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plantServices, plantSubject, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let onCall: string;
let limited: string;
let number = 0;
let id: string;

beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'other']);
  onCall = await test.makeKey(['incidents:write']);
  limited = await test.makeKey(['incidents:write'], { services: ['agent'] });
});

/** A device that is down, with its incident. */
beforeEach(async () => {
  number += 1;
  id = `inc_n${number}`;
  const subject = await plantSubject(test.sql, `dev_n${number}`, 'mac-mini');
  await test.sql`insert into connectivity (subject_id, ticks, disconnected, observation_key, moved_at)
                 values (${subject}, 1, true, gen_random_uuid(), now())`;
  await test.sql`insert into incident (id, kind, group_id, opened_at, summary) values (${id}, 'device', ${subject}, now(), 'Down.')`;
  await test.sql`insert into incident_subject values (${id}, ${subject}, 'device_down', now())`;
  await test.sql`insert into incident_service select ${id}, id from service where name = 'agent'`;
});

function post(action: string, body: unknown, key = onCall, incident = id): Promise<Response> {
  return test.call(`/v1/incidents/${incident}/${action}`, {
    method: 'POST',
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function codeOf(answer: Response): Promise<[number, string]> {
  return [answer.status, problemSchema.parse(await answer.json()).code];
}

const OVERRIDE = { reason: 'machine retired', for: '72h' };

describe('POST /v1/incidents/{id}/…', () => {
  it('acknowledge: answers with the incident, once', async () => {
    const answer = await post('acknowledge', {});
    expect(answer.status).toBe(200);
    const incident = incidentDetailSchema.parse(await answer.json());
    expect(incident).toMatchObject({ id, state: 'acknowledged' });
    expect(incident.timeline.at(-1)).toMatchObject({ event: 'incident.acknowledged', why: 'Acknowledged by test.' });
    expect(await codeOf(await post('acknowledge', {}))).toEqual([409, 'acknowledged_before']);
  });

  it('notes: adds to the timeline', async () => {
    const incident = incidentDetailSchema.parse(await (await post('notes', { note: 'unplugged' })).json());
    expect(incident.timeline.at(-1)).toMatchObject({ event: 'incident.noted', why: 'Note by test: unplugged' });
    expect((await post('notes', { note: '\u200b' })).status).toBe(400);
  });

  it('resolve: is refused while the group is disconnected, unless by an override with reason and duration', async () => {
    expect(await codeOf(await post('resolve', {}))).toEqual([409, 'still_disconnected']);
    expect((await post('resolve', { override: { reason: 'x' } })).status).toBe(400);
    expect((await post('resolve', { override: { reason: 'x', for: '0s' } })).status).toBe(400);
    const answer = await post('resolve', { override: OVERRIDE });
    expect(await answer.json()).toMatchObject({ id, state: 'resolved' });
    expect(await codeOf(await post('resolve', { override: OVERRIDE }))).toEqual([409, 'already_resolved']);
    expect((await readAuditAfter(test.sql, 0, 1000)).at(-1)).toMatchObject({
      action: 'incident.override',
      actor: 'test',
      target: id,
      reason: 'machine retired',
    });
  });

  it('are not for keys without the scope, for unknown incidents, or for what concerns other services as well', async () => {
    const reader = await test.makeKey(['incidents:read']);
    for (const action of ['acknowledge', 'notes', 'resolve']) {
      const body = action === 'notes' ? { note: 'x' } : {};
      expect((await post(action, body, reader)).status).toBe(403);
      expect((await post(action, body, onCall, 'inc_nobody')).status).toBe(404);
      expect((await post(action, body, onCall, 'not-an-id')).status).toBe(404);
    }
    expect((await post('notes', { note: 'x' }, limited)).status).toBe(200);
    await test.sql`insert into incident_service select ${id}, id from service where name = 'other'`;
    expect(await codeOf(await post('notes', { note: 'x' }, limited))).toEqual([403, 'service_not_allowed']);
    await test.sql`delete from incident_service where service_id = (select id from service where name = 'agent')`;
    expect((await post('notes', { note: 'x' }, limited)).status).toBe(404);
  });
});
