import { randomUUID } from 'node:crypto';
import type { SafeName } from '@tidegate/core';
import {
  connect,
  createApiKey,
  findSession,
  listHeardChanges,
  listServiceRecords,
  prune,
  readChangeMark,
  type Sql,
  startSession,
} from '@tidegate/store';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plantServices, plantSubject, setGate } from '../../apps/api/test/start-test-api.ts';
import { hand } from '../support/plant-callbacks.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

const SILENT_AFTER_MS = 5000;
const DAY_MS = 86_400_000;

let database: TestDatabase;
let sql: Sql;
beforeAll(async () => {
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 2 });
  await plantServices(sql, ['agent', 'other'], ['agent']);
});
afterAll(async () => {
  await sql.end({ timeout: 1 });
  await database.drop();
});

async function plantIncident(service: string, openedHoursAgo: number, lastedHours: number | null): Promise<string> {
  const id = `inc_${randomUUID().replaceAll('-', '')}`;
  const subject = await plantSubject(sql, `dev_${randomUUID().slice(0, 8)}`);
  await sql`
    insert into incident (id, kind, state, group_id, opened_at, resolved_at, resolved_by, summary)
    select ${id}, 'device', ${lastedHours === null ? 'open' : 'resolved'}, ${subject}, now() - make_interval(secs => ${openedHoursAgo * 3600}),
      case when ${lastedHours !== null} then now() - make_interval(secs => ${(openedHoursAgo - (lastedHours ?? 0)) * 3600}) end,
      case when ${lastedHours !== null} then 'ver_x' end, 'planted'`;
  await sql`insert into incident_service (incident_id, service_id) select ${id}, id from service where name = ${service}`;
  await sql`insert into incident_subject (incident_id, subject_id, why, joined_at) values (${id}, ${subject}, 'planted', now())`;
  return id;
}

async function observe(subject: number, minutesAgo: number, status: string): Promise<void> {
  await sql`
    insert into observation (month, key, subject_id, source_id, status, trusted, first_received_at)
    values ('-infinity', ${randomUUID()}, ${subject}, 1, ${status}, true, now() - make_interval(secs => ${minutesAgo * 60}))`;
}

describe('listServiceRecords', () => {
  const recordOf = async (service: string) =>
    (await listServiceRecords(sql, null)).find((record) => record.service === service);
  const age = (days: number) => sql`update service set created_at = now() - make_interval(days => ${days})`;
  beforeEach(async () => {
    await sql`delete from incident_subject`;
    await sql`delete from incident_service`;
    await sql`delete from incident`;
    await age(30);
  });

  it('counts time in which incidents overlap once, and that of others not at all', async () => {
    await plantIncident('agent', 10, 4);
    await plantIncident('agent', 8, 4);
    await plantIncident('agent', 6.5, 0.5);
    await plantIncident('other', 20, 20);
    const record = await recordOf('agent');
    expect(record?.availableDay).toBeCloseTo(1 - 6 / 24, 4);
    expect(record?.availableWeek).toBeCloseTo(1 - 6 / 168, 4);
  });

  it('counts one that is open until now, and of one that began before only what is inside', async () => {
    await plantIncident('agent', 3, null);
    await plantIncident('agent', 30, 10);
    const record = await recordOf('agent');
    expect(record?.availableDay).toBeCloseTo(1 - 7 / 24, 4);
    expect(record?.availableWeek).toBeCloseTo(1 - 13 / 168, 4);
  });

  it('counts no time between an end and a reopening', async () => {
    const id = await plantIncident('agent', 10, null);
    await sql`update incident set reopened = 2 where id = ${id}`;
    for (const [event, hoursAgo] of [
      ['incident.opened', 10],
      ['incident.resolved', 9],
      ['incident.reopened', 5],
      ['incident.overridden', 4],
      ['incident.reopened', 1],
    ] as const) {
      await sql`insert into timeline_entry (incident_id, at, event, why)
        values (${id}, now() - make_interval(secs => ${hoursAgo * 3600}), ${event}, 'planted')`;
    }
    expect((await recordOf('agent'))?.availableDay).toBeCloseTo(1 - 3 / 24, 4);
    await sql`update incident set state = 'resolved', resolved_at = now() - interval '30 minutes', resolved_by = 'ver_x' where id = ${id}`;
    expect((await recordOf('agent'))?.availableDay).toBeCloseTo(1 - 2.5 / 24, 4);
    await sql`delete from timeline_entry where incident_id = ${id}`;
  });

  it('measures a service that is younger by its life', async () => {
    await sql`update service set created_at = now() - interval '2 hours'`;
    await plantIncident('agent', 5, 4);
    const record = await recordOf('agent');
    expect(record?.availableDay).toBeCloseTo(0.5, 3);
    expect(record?.availableWeek).toBeCloseTo(0.5, 3);
  });

  it('is whole without an incident, and nothing but zero for one that never ends', async () => {
    expect((await recordOf('agent'))?.availableWeek).toBe(1);
    await plantIncident('agent', 24 * 9, null);
    expect((await recordOf('agent'))?.availableWeek).toBeCloseTo(0, 6);
  });

  it('says in which half hours something happened', async () => {
    const subject = await plantSubject(sql, 'dev_strip');
    await sql`insert into dependency (subject_id, service_id, origin) select ${subject}, id, 'config' from service where name = 'agent'`;
    for (const minutes of [5, 10, 95, 60 * 23.9, 60 * 25]) await observe(subject, minutes, 'disconnected');
    await observe(subject, 50, 'connected');
    await plantIncident('agent', 3.2, 0.1);
    expect((await recordOf('agent'))?.strip).toEqual([
      { cell: 0, disconnects: 1, down: false },
      { cell: 41, disconnects: 0, down: true },
      { cell: 44, disconnects: 1, down: false },
      { cell: 47, disconnects: 2, down: false },
    ]);
  });

  it('is limited to the services asked for', async () => {
    expect((await listServiceRecords(sql, ['other'])).map(({ service }) => service)).toEqual(['other']);
    expect(await listServiceRecords(sql, [])).toEqual([]);
  });
});

describe('readChangeMark', () => {
  const mark = () => readChangeMark(sql, SILENT_AFTER_MS);
  let callback: string;
  let incident: string;
  beforeAll(async () => {
    incident = await plantIncident('agent', 1, null);
    callback = await hand(sql, { service: 'agent' });
    await sql`insert into receiver (id, started_at, heartbeat_at) values ('rcv_a', now(), now())`;
  });

  it('is the same while nothing happens', async () => {
    expect(await mark()).toBe(await mark());
  });

  it.each<[string, () => Promise<unknown>]>([
    [
      'a note on a timeline',
      () =>
        sql`insert into timeline_entry (incident_id, at, event, why) values (${incident}, now(), 'incident.noted', 'x')`,
    ],
    ['a gate', () => setGate(sql, 'agent', 'held')],
    ['a hand on a gate', () => sql`update gate set passes = passes + 1`],
    ['an observation', () => plantSubject(sql, 'dev_mark').then((id) => observe(id, 0, 'connected'))],
    [
      'a verification',
      () => sql`
      insert into verification (id, service_id, generation, started_at, finished_at, verdict, runbook, passed, passes, overtaken)
      values ('ver_mark', 1, 1, now(), now(), 'healthy', 'x', true, 1, false)`,
    ],
    ['a callback that needs review', () => sql`update callback set state = 'needs_review' where id = ${callback}`],
    ['one that is to be tried again', () => sql`update callback set state = 'retrying' where id = ${callback}`],
    [
      'a silence',
      () =>
        sql`insert into silence (id, scope, actor, reason, created_at, expires_at) values ('sil_a', 'all', 'x', 'x', now(), now() + interval '1 hour')`,
    ],
    ['its end', () => sql`update silence set ended_at = now()`],
    ['a receiver that falls silent', () => sql`update receiver set heartbeat_at = now() - interval '1 minute'`],
    ['a poll that fails', () => sql`insert into poll (due_at, failures) values (now(), 1)`],
  ])('differs after %s', async (_what, change) => {
    const before = await mark();
    await change();
    expect(await mark()).not.toBe(before);
  });

  it('differs after an event that committed late, although a newer one was seen before', async () => {
    const noted = (on: Sql) =>
      on`insert into timeline_entry (incident_id, at, event, why) values (${incident}, now(), 'incident.noted', 'x')`;
    const other = await sql.reserve();
    await other`begin`;
    await noted(other);
    await noted(sql);
    const before = await mark();
    await other`commit`;
    expect(await mark()).not.toBe(before);
    other.release();
  });

  it('does not differ after every beat of a receiver', async () => {
    await sql`update receiver set heartbeat_at = now()`;
    const before = await mark();
    await sql`update receiver set heartbeat_at = now() + interval '1 second'`;
    expect(await mark()).toBe(before);
  });
});

describe('listHeardChanges', () => {
  it('gives what was heard since a little before it opened, and the last word before that', async () => {
    const id = await plantIncident('agent', 1, 0.5);
    const [row] = await sql<{ subjectId: number }[]>`select subject_id from incident_subject where incident_id = ${id}`;
    const subject = row?.subjectId ?? 0;
    for (const [minutes, status] of [
      [300, 'disconnected'],
      [200, 'connected'],
      [61, 'disconnected'],
      [40, 'connected'],
      [10, 'disconnected'],
    ] as const) {
      await observe(subject, minutes, status);
    }
    const [heard] = await listHeardChanges(sql, id);
    expect(heard?.heard.map(({ status }) => status)).toEqual(['connected', 'disconnected', 'connected']);
  });
});

describe('sessions', () => {
  it('that are over are pruned, and the others are not', async () => {
    await createApiKey(sql, {
      id: 'key_a',
      name: 'a',
      lookupHash: Buffer.from('a'),
      scopes: ['admin'],
      services: null,
      expiresAt: null,
    });
    const session = { keyId: 'key_a', actor: 'a' as SafeName };
    const sign = () => Buffer.alloc(32);
    await startSession(sql, { ...session, lookupHash: Buffer.from('over'), longestMs: 1 }, sign);
    await startSession(sql, { ...session, lookupHash: Buffer.from('live'), longestMs: DAY_MS }, sign);
    const periods = {
      observationsMs: DAY_MS,
      incidentsMs: DAY_MS,
      verificationsMs: DAY_MS,
      callbacksMs: DAY_MS,
      idempotencyMs: DAY_MS,
      quarantineMs: DAY_MS,
    };
    await prune(sql, periods);
    const rows = await sql<{ lookupHash: Buffer }[]>`select lookup_hash from session`;
    expect(rows.map(({ lookupHash }) => lookupHash.toString())).toEqual(['live']);
    expect(await findSession(sql, { lookupHash: Buffer.from('live'), idleMs: DAY_MS, byPerson: true })).toMatchObject({
      id: 'key_a',
    });
    expect(await findSession(sql, { lookupHash: Buffer.from('over'), idleMs: DAY_MS, byPerson: true })).toBeNull();
  });
});
