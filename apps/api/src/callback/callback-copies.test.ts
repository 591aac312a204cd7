import { acceptedCallbackSchema, problemSchema } from '@tidegate/client';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { verifies } from '../../../../test/support/verifies.ts';
import { plantServices, startTestApi, type TestApi } from '../../test/start-test-api.ts';

let test: TestApi;
let keys = 0;
beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'other'], ['agent', 'other']);
}, 60_000);

const payload = {
  service: 'agent',
  url: 'https://hooks.example.org/done',
  method: 'POST',
  body: 'done',
  safety: 'unsafe',
  repeat: 'deduplicated',
};

function freshKey(): string {
  keys += 1;
  return `copy-${keys}`;
}

function post(idempotencyKey: string, change: object = {}, call = test.call): Promise<Response> {
  return call('/v1/callbacks', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
    body: JSON.stringify({ ...payload, ...change }),
  });
}

/** As a sender does: again after a 409, until it is told something else. */
async function postOn(...of: Parameters<typeof post>): Promise<Response> {
  return until(
    'an answer that is not 409',
    () => post(...of),
    ({ status }) => status !== 409,
  );
}

const replayed = (response: Response) => response.headers.get('idempotency-replayed');
const idOf = async (response: Response) => acceptedCallbackSchema.parse(await response.json()).id;
const rows = async () => (await test.sql`select 1 from callback`).length;

/** Runs `work` while whoever would take a callback of `agent` over has to wait for its gate. */
async function whileGateIsLocked<T>(work: () => Promise<T>): Promise<T> {
  return test.sql.begin(async (tx) => {
    await tx`select 1 from gate where service_id = (select id from service where name = 'agent') for update`;
    return work();
  }) as Promise<T>;
}

/** Process ids in the database of those that are taking something over, at a time when nobody else waits for a lock. */
function takingOver(): Promise<{ pid: number }[]> {
  return test.sql<{ pid: number }[]>`
    select l.pid from pg_locks l join pg_stat_activity a using (pid)
    where a.datname = current_database() and l.locktype = 'advisory' and l.granted and a.wait_event_type = 'Lock'`;
}

async function startFirst(key: string, call = test.call): Promise<{ answer: Promise<Response>; pid: number }> {
  const answer = post(key, {}, call);
  const [holder] = await until('the first is being taken over', takingOver, (found) => found.length === 1);
  return { answer, pid: holder?.pid ?? 0 };
}

describe('copies of one request', () => {
  it(verifies('I8', 'are told 409 at once while the first is being taken over, on another instance too'), async () => {
    const key = freshKey();
    const { call } = await test.another();
    const before = await rows();
    const first = await whileGateIsLocked(async () => {
      const started = await startFirst(key);
      const copies = await Promise.all([post(key), post(key, {}, call), post(key, { body: 'another' }, call)]);
      for (const copy of copies) {
        expect(copy.status).toBe(409);
        expect(Number(copy.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(copy.headers.get('content-type')).toBe('application/problem+json');
        expect(problemSchema.parse(await copy.json()).code).toBe('idempotency_key_in_use');
      }
      // Keys are a service's own: the same one is free for another.
      expect(replayed(await post(key, { service: 'other' }))).toBeNull();
      return started;
    });
    const answer = await first.answer;
    expect([answer.status, replayed(answer)]).toEqual([201, null]);
    const copy = await post(key, {}, call);
    expect([copy.status, replayed(copy)]).toEqual([201, 'true']);
    expect(await idOf(copy)).toBe(await idOf(answer));
    expect((await post(key, { body: 'another' }, call)).status).toBe(422);
    expect(await rows()).toBe(before + 2);
  });

  it(verifies('I8', 'find the key free when the first ended without a commit'), async () => {
    const key = freshKey();
    const { call } = await test.another();
    const first = await whileGateIsLocked(async () => {
      const started = await startFirst(key, call);
      await test.sql`select pg_terminate_backend(${started.pid})`;
      await until('it is gone', takingOver, (found) => found.length === 0);
      return started;
    });
    expect((await first.answer).status).toBe(503);
    const copy = await postOn(key);
    expect([copy.status, replayed(copy)]).toEqual([201, null]);
  });

  it(verifies('I8', 'become one row, fifty at a time on two instances'), async () => {
    const { call } = await test.another();
    const before = await rows();
    const key = freshKey();
    const copies = await Promise.all(
      Array.from({ length: 50 }, (_, index) => post(key, {}, index % 2 === 0 ? test.call : call)),
    );
    expect(copies.filter(({ status }) => status !== 201 && status !== 409)).toEqual([]);
    const taken = copies.filter(({ status }) => status === 201);
    expect(taken.filter((copy) => replayed(copy) === null)).toHaveLength(1);
    expect(new Set(await Promise.all(taken.map(idOf))).size).toBe(1);
    expect(await rows()).toBe(before + 1);
  });

  it(verifies('I8', 'become one row also when they race other payloads under the same key'), async () => {
    const key = freshKey();
    const racers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => postOn(key, { body: `payload ${index % 2}` })),
    );
    expect(racers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(racers.filter(({ status }) => status === 422)).toHaveLength(10);
  });
});
