import { randomBytes, randomUUID } from 'node:crypto';
import {
  blipPageSchema,
  callbackPageSchema,
  incidentPageSchema,
  observationPageSchema,
  problemSchema,
  servicePageSchema,
  sourcePageSchema,
  subjectPageSchema,
} from '@tidegate/client';
import { beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { plantServices, startTestApi, type TestApi } from '../../test/start-test-api.ts';

const ROWS = 120;
let test: TestApi;

/** Rows a microsecond apart, with every third at the time of the one before: the hardest case for a cursor. */
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(
    test.sql,
    Array.from({ length: ROWS }, (_, n) => `agent${n}`),
  );
  await test.sql`insert into source (name, group_name, time_zone, watch) select 'src' || n, 'g', 'UTC', 'all' from generate_series(1, ${ROWS}) n`;
  for (const table of ['service', 'source']) {
    await test.sql`update ${test.sql(table)} set created_at = '2026-01-01'::timestamptz + make_interval(secs => (id - id % 3) / 1e6)`;
  }
  for (let n = 0; n < ROWS; n += 1) {
    const at = `2026-01-01 00:00:00.${String(100_000 + n - (n % 3 === 0 ? 1 : 0))}+00`;
    const id = String(n).padStart(4, '0');
    await test.sql`
      with s as (
        insert into subject (alias, type, group_name, fingerprint_version, fingerprint, first_seen_at)
        values (${`tun_${id}`}, 'tunnel', 'g', 1, ${randomBytes(32)}, ${at}::text::timestamptz) returning id
      ), i as (
        insert into incident (id, kind, state, group_id, opened_at, resolved_at, resolved_by, summary)
        select ${`inc_${id}`}, 'tunnel', 'resolved', id, ${at}::text::timestamptz, now(), 'ver_1', 's' from s
      ), o as (
        insert into observation (month, key, subject_id, source_id, status, trusted, first_received_at)
        select '2026-01-01', ${randomUUID()}::uuid, id, 1, 'connected', true, ${at}::text::timestamptz from s returning key, first_received_at
      ), k as (
        insert into observation_key (key, first_delivery_id, first_received_at)
        select key, ${randomUUID()}::uuid, first_received_at from o
      ), b as (
        insert into blip (group_id, first_at, last_at, count, recorded_at) select id, now(), now(), 2, ${at}::text::timestamptz from s
      ), d as (
        insert into delivery (id, observation_key, source_id, received_at)
        select ${randomUUID()}::uuid, key, 1, now() from o
      )
      insert into callback (id, service_id, key_hash, payload_hash, state, method, origin, safety, repeat, sealed_url,
                            sealed_headers, sealed_idempotency_key, created_at)
      values (${`cb_${id}`}, 1, ${Buffer.from(id)}, '', 'needs_review', 'POST', 'https://x.example', 'safe', 'forbidden', '', '', '',
              ${at}::text::timestamptz)`;
  }
}, 60_000);

const lists = [
  ['/v1/incidents', incidentPageSchema, (item: { id: string }) => item.id],
  ['/v1/callbacks', callbackPageSchema, (item: { id: string }) => item.id],
  ['/v1/reviews', callbackPageSchema, (item: { id: string }) => item.id],
  ['/v1/blips', blipPageSchema, (item: { id: string }) => item.id],
  ['/v1/observations', observationPageSchema, (item: { id: string }) => item.id],
  ['/v1/subjects', subjectPageSchema, (item: { alias: string }) => item.alias],
  ['/v1/services', servicePageSchema, (item: { name: string }) => item.name],
  ['/v1/sources', sourcePageSchema, (item: { name: string }) => item.name],
] as unknown as [string, z.ZodType<{ items: object[]; nextCursor: string | null }>, (item: object) => string][];

describe.each(lists)('%s', (path, schema, idOf) => {
  const page = async (query: string) => {
    const body = await (await test.call(`${path}${query}`)).json();
    const parsed = schema.parse(body);
    expect(body).toEqual(parsed);
    return parsed;
  };

  it.each([1, 7, 119, 120, 121, 500])('walks every row exactly once, %i at a time', async (limit) => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { items, nextCursor } = await page(`?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(items.length).toBeLessThanOrEqual(limit);
      seen.push(...items.map(idOf));
      cursor = nextCursor;
    } while (cursor !== null && seen.length <= 2 * ROWS);
    expect(seen).toHaveLength(ROWS);
    expect(new Set(seen).size).toBe(ROWS);
  });

  it('holds fifty unless asked', async () => {
    expect((await page('')).items).toHaveLength(50);
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'limit=1.5',
    'limit=-1',
    'limit=',
    'limit=1&limit=2',
    'cursor=',
    'cursor=!',
  ])('refuses ?%s', async (query) => {
    const response = await test.call(`${path}?${query}`);
    expect(response.status).toBe(400);
    expect(problemSchema.parse(await response.json()).errors?.map(({ field }) => field)).toEqual([query.split('=')[0]]);
  });

  it.each([
    ['no cursor at all', 'aGVsbG8'],
    ['an empty list', Buffer.from('[]').toString('base64url')],
    ['a day that no calendar has', Buffer.from('["2026-02-31 00:00:00+00","x"]').toString('base64url')],
    ['a month that no calendar has', Buffer.from('["2026-99-01 00:00:00+00","x"]').toString('base64url')],
    ['a text that wants to be SQL', Buffer.from('["2026-01-01 00:00:00+00","\'; drop"]').toString('base64url')],
  ])('refuses a cursor that is %s', async (_name, cursor) => {
    const response = await test.call(`${path}?cursor=${cursor}`);
    expect(response.status).toBe(400);
    expect(problemSchema.parse(await response.json()).errors).toEqual([{ field: 'cursor', problem: 'malformed' }]);
  });
});

it('never answers 500 to the cursor of another list', async () => {
  const cursors = await Promise.all(
    lists.map(
      async ([path]) => ((await (await test.call(`${path}?limit=1`)).json()) as { nextCursor: string }).nextCursor,
    ),
  );
  for (const [path] of lists) {
    for (const cursor of cursors) expect((await test.call(`${path}?cursor=${cursor}`)).status).toBeLessThan(500);
  }
});

it('filters: observations by subject, incidents by state', async () => {
  const read = async (path: string) =>
    ((await (await test.call(path)).json()) as { items: { subject?: string }[] }).items;
  expect((await read('/v1/observations?subject=tun_0007')).map(({ subject }) => subject)).toEqual(['tun_0007']);
  expect(await read('/v1/observations?subject=dev_nobody')).toEqual([]);
  expect(await read('/v1/incidents?state=open')).toEqual([]);
  expect(await read('/v1/incidents?state=resolved&limit=3')).toHaveLength(3);
  const count = async (path: string) => (await read(`${path}&limit=500`)).length;
  expect(await count('/v1/incidents?kind=tunnel')).toBe(ROWS);
  expect(await count('/v1/incidents?kind=device')).toBe(0);
  expect(await count('/v1/incidents?since=2026-01-02T00:00:00Z')).toBe(0);
  await test.sql`insert into incident_service select 'inc_0003', id from service where name = 'agent7'`;
  expect(await count('/v1/incidents?service=agent7')).toBe(1);
  expect(await count('/v1/incidents?service=nobody')).toBe(0);
  expect(await count('/v1/observations?status=connected')).toBe(ROWS);
  expect(await count('/v1/observations?status=disconnected')).toBe(0);
  expect(await count('/v1/observations?source=src1')).toBe(ROWS);
  expect(await count('/v1/observations?source=src2')).toBe(0);
  expect(await count('/v1/observations?since=2026-01-02T00:00:00Z')).toBe(0);
  expect(await count('/v1/subjects?type=tunnel')).toBe(ROWS);
  expect(await count('/v1/subjects?type=device')).toBe(0);
  expect(await count('/v1/subjects?group=g')).toBe(ROWS);
  expect(await count('/v1/subjects?status=connected')).toBe(0);
  expect(await count('/v1/subjects?service=agent7')).toBe(0);
  expect(await count('/v1/services?source=src')).toBe(ROWS);
  expect(await count('/v1/services?source=other')).toBe(0);
});

it.each([
  ['/v1/incidents?state=closed', 'state'],
  ['/v1/observations?subject=a%00', 'subject'],
  ['/v1/observations?subject=secret-token', 'subject'],
  ['/v1/callbacks?state=gone', 'state'],
  ['/v1/incidents?kind=flood', 'kind'],
  ['/v1/incidents?since=2026-02-30T00:00:00Z', 'since'],
  ['/v1/incidents?since=0000-01-01T00:00:00Z', 'since'],
  ['/v1/observations?since=9999-12-31T23:59:59-01:00', 'since'],
  ['/v1/observations?status=secret', 'status'],
  ['/v1/observations?source=a%20secret', 'source'],
  ['/v1/subjects?type=secret', 'type'],
  ['/v1/services?source=%00', 'source'],
  ['/v1/sources?source=src', 'source'],
  ['/v1/blips?service=a%20b', 'service'],
  ['/v1/blips?since=yesterday', 'since'],
  ['/v1/callbacks?service=a%20b', 'service'],
  ['/v1/subjects?subject=dev_x', 'subject'],
  ['/v1/callbacks?tdg_oops_a_secret=1', 'unnamed'],
])('refuses %s', async (path, field) => {
  const response = await test.call(path);
  expect(response.status).toBe(400);
  const text = await response.text();
  expect(problemSchema.parse(JSON.parse(text)).errors?.map((error) => error.field)).toEqual([field]);
  expect(text).not.toContain('secret');
});
