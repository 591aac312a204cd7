import net from 'node:net';
import { eventsReadySchema, eventsResetSchema, incidentEventSchema, problemSchema } from '@tidegate/client';
import { connect, readEvents, revokeApiKey, type Sql } from '@tidegate/store';
import fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { type OpenedStream, openStream } from '../../test/open-stream.ts';
import { plantServices, setGate, startTestApi, type TestApi } from '../../test/start-test-api.ts';
import { STREAM_HEADERS } from '../stream/event-writer.ts';

const PATH = '/v1/incidents/events';
let test: TestApi;
let second: TestApi['call'];
let opened: OpenedStream[] = [];

beforeAll(async () => {
  test = await startTestApi();
  await plantServices(test.sql, ['agent', 'payroll']);
  second = (await test.another()).call;
}, 60_000);
/** The last number before the test: numbers only grow. */
let base: number;
beforeEach(async () => {
  base = await lastNumber();
});
/** The last number once all that is written has one: while another process gives numbers out, who asks is not kept waiting. */
async function lastNumber(): Promise<number> {
  await expect
    .poll(async () => {
      await readEvents(test.sql, { after: 0, limit: 0 });
      return (await test.sql`select 1 from event where number is null`).length;
    })
    .toBe(0);
  return (await readEvents(test.sql, { after: 0, limit: 0 })).last;
}
afterEach(async () => {
  for (const stream of opened) stream.leave();
  await Promise.all(opened.map(({ ended }) => ended));
  opened = [];
});

async function open(options: Parameters<typeof openStream>[2] & { call?: TestApi['call']; query?: string } = {}) {
  const stream = await openStream(options.call ?? test.call, `${PATH}${options.query ?? ''}`, options);
  opened.push(stream);
  return stream;
}
const write = (sql: Sql, why: string, services: string[] | null = ['agent']) =>
  sql`insert into event (at, event, why, services) values (now(), 'incident.noted', ${why}, ${services})`;
const eventsOf = (stream: OpenedStream) =>
  stream.messages.filter(({ event }) => event === 'message').map(({ data }) => incidentEventSchema.parse(data));
const told = (stream: OpenedStream) => eventsOf(stream).map(({ why }) => why);
const first = async (stream: OpenedStream) => {
  await expect.poll(() => stream.messages.length, { timeout: 5000 }).toBeGreaterThan(0);
  return stream.messages[0];
};

describe('GET /v1/incidents/events', () => {
  it('begins with where it is, then tells what happens, on any instance', async () => {
    await write(test.sql, 'before');
    expect(await lastNumber()).toBe(base + 1);
    const streams = [await open(), await open({ call: second })];
    for (const stream of streams) {
      expect(stream.response.status).toBe(200);
      expect(Object.fromEntries(stream.response.headers)).toMatchObject(STREAM_HEADERS);
      expect(await first(stream)).toEqual({ id: `${base + 1}`, event: 'ready', data: { number: base + 1 } });
    }
    await setGate(test.sql, 'agent', 'open');
    for (const stream of streams) {
      await expect.poll(() => stream.messages.length, { timeout: 5000 }).toBe(2);
      const { at: _, ...event } = eventsOf(stream)[0] ?? {};
      expect(stream.messages[1]?.id).toBe(`${base + 2}`);
      expect(event).toEqual({
        number: base + 2,
        event: 'gate.opened',
        incident: null,
        service: 'agent',
        services: ['agent'],
        callback: null,
        reason: 'verified',
        why: 'The gate of agent opened after verification.',
      });
    }
    await setGate(test.sql, 'agent', 'held');
  });

  it('goes on after Last-Event-ID, or after ?after=, of which the header wins', async () => {
    for (let n = 1; n <= 5; n += 1) await write(test.sql, `e${n}`);
    const after = base + 2;
    const streams = [
      await open({ lastId: `${after}` }),
      await open({ query: `?after=${after}` }),
      await open({ lastId: `${after}`, query: `?after=${after + 2}` }),
    ];
    for (const stream of streams) await expect.poll(() => told(stream), { timeout: 5000 }).toEqual(['e3', 'e4', 'e5']);
  });

  it('tells more than a page, whole and in order', async () => {
    await test.sql`insert into event (at, event, why, services) select now(), 'incident.noted', n::text, '{agent}' from generate_series(1, 2500) n`;
    const stream = await open({ query: `?after=${base}` });
    await expect.poll(() => told(stream).length, { timeout: 20_000 }).toBe(2500);
    expect(eventsOf(stream).map(({ number }) => number)).toEqual(Array.from({ length: 2500 }, (_, n) => base + n + 1));
  });

  it(verifies('I12.events', 'says so when what was missed is no longer kept, and goes on from there'), async () => {
    for (let n = 1; n <= 5; n += 1) await write(test.sql, `e${n}`);
    expect(await lastNumber()).toBe(base + 5);
    await test.sql`delete from event where number <= ${base + 3}`;
    await test.sql`update event_counter set pruned_through = ${base + 3}`;
    const { call } = await test.another();
    for (const known of [0, base + 2]) {
      const stream = await open({ call, lastId: `${known}` });
      const { event, id, data } = (await first(stream)) ?? {};
      expect({ event, id }).toEqual({ event: 'reset', id: `${base + 5}` });
      expect(eventsResetSchema.parse(data)).toEqual({ reason: 'too_old', number: base + 5 });
    }
    const whole = await open({ call, lastId: `${base + 3}` });
    await expect.poll(() => told(whole), { timeout: 5000 }).toEqual(['e4', 'e5']);
    // Who asks for all there are knows of none that they could miss.
    const all = await open({ call, query: '?after=0' });
    await expect.poll(() => told(all), { timeout: 5000 }).toEqual(['e4', 'e5']);
    expect(await first(all)).toMatchObject({ event: 'ready', data: { number: base + 3 } });
  });

  it.each(['999999', 'inc_secret', '-1', '1e3'])(
    'says so when Last-Event-ID is not of this Tidegate: %s',
    async (lastId) => {
      await write(test.sql, 'e1');
      expect(await lastNumber()).toBe(base + 1);
      const stream = await open({ lastId });
      expect(eventsResetSchema.parse((await first(stream))?.data)).toEqual({ reason: 'unknown', number: base + 1 });
      await write(test.sql, 'e2');
      await expect.poll(() => told(stream), { timeout: 5000 }).toEqual(['e2']);
    },
  );

  it('shows a limited key its own services only', async () => {
    const limited = await test.makeKey(['incidents:read'], { services: ['agent'] });
    const stream = await open({ key: limited, query: `?after=${base}` });
    await write(test.sql, 'of both', ['agent', 'payroll']);
    await write(test.sql, 'of payroll', ['payroll']);
    await test.sql`insert into event (at, event, why, services) values (now(), 'incident.opened', 'opened', '{agent,payroll}')`;
    await write(test.sql, 'of none', []);
    await write(test.sql, 'own');
    await expect.poll(() => told(stream), { timeout: 5000 }).toEqual(['opened', 'own']);
    expect(JSON.stringify(stream.messages)).not.toContain('payroll');
  });

  it('needs the scope, a good query, and answers HEAD at once', async () => {
    const wrong = await test.makeKey(['gate:read']);
    expect((await test.call(PATH, { key: wrong })).status).toBe(403);
    expect((await test.call(PATH, { key: null })).status).toBe(401);
    const response = await test.call(`${PATH}?after=x`);
    expect(problemSchema.parse(await response.json()).errors).toEqual([{ field: 'after', problem: 'malformed' }]);
    const head = await test.call(PATH, { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('content-type')]).toEqual([
      200,
      '',
      STREAM_HEADERS['content-type'],
    ]);
  });

  it('ends when the process does, with a word, and its number is where the next one begins', async () => {
    const { api, call } = await test.another();
    const stream = await open({ call });
    expect(eventsReadySchema.parse((await first(stream))?.data)).toEqual({ number: base });
    await api.close();
    await stream.ended;
    expect(stream.messages.at(-1)).toMatchObject({ event: 'closed', data: { reason: 'stopping' } });
  });
});

describe('a key that is no longer good', () => {
  it.each([
    ['is revoked', (id: string) => revokeApiKey(test.sql, id)],
    ['expires', (id: string) => test.sql`update api_key set expires_at = now() where id = ${id}`],
  ])(
    'has its streams closed within 30 s once it %s',
    async (_name, end) => {
      const id = `key_${Math.random().toString(36).slice(2)}`;
      const stream = await open({ key: await test.makeKey(['incidents:read'], { id }) });
      const other = await open();
      await first(stream);
      const endedAtMs = performance.now();
      await end(id);
      await stream.ended;
      expect(performance.now() - endedAtMs).toBeLessThan(30_000);
      expect(stream.messages.at(-1)).toMatchObject({ event: 'closed', data: { reason: 'key_refused' } });
      await write(test.sql, 'after');
      await expect.poll(() => told(other), { timeout: 5000 }).toEqual(['after']);
      expect(told(stream)).toEqual([]);
    },
    60_000,
  );
});

const CONNECTIONS = 5;

describe('a reader that comes and goes', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('write' as const), visible: fc.boolean() }),
    fc.constant({ kind: 'begin' as const, visible: true }),
    fc.constant({ kind: 'commit' as const, visible: true }),
    fc.record({ kind: fc.constant('leave' as const), visible: fc.boolean() }),
  );

  it(verifies('I12.events', 'is told each event once and in order, wherever it comes back'), async () => {
    const own = await test.makeKey(['incidents:read'], { services: ['agent'] });
    const writers = connect(test.databaseUrl, { application: 'test-writers', connections: CONNECTIONS });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
        const begin = await lastNumber();
        const seen: string[] = [];
        const expected: string[] = [];
        const held: { commit: () => void; done: Promise<unknown> }[] = [];
        let stream = await open({ key: own, query: `?after=${begin}` });
        const comeBack = async (onOther: boolean) => {
          stream.leave();
          await stream.ended;
          seen.push(...told(stream));
          stream = await open({ key: own, lastId: stream.lastId() ?? `${begin}`, call: onOther ? second : test.call });
        };
        for (const [index, { kind, visible }] of steps.entries()) {
          // Each that is held open has a connection of its own, and one is left to write with.
          if (kind === 'begin' && held.length === CONNECTIONS - 1) continue;
          if (kind === 'leave') await comeBack(visible);
          else if (kind === 'commit') {
            const one = held.shift();
            one?.commit();
            await one?.done;
          } else {
            if (visible) expected.push(`e${index}`);
            if (kind === 'write') await write(writers, `e${index}`, visible ? ['agent'] : ['payroll']);
            else held.push(await holdOpen(writers, `e${index}`));
          }
        }
        for (const { commit, done } of held) {
          commit();
          await done;
        }
        await expect.poll(() => seen.length + told(stream).length, { timeout: 10_000 }).toBe(expected.length);
        await comeBack(false);
        expect(told(stream)).toEqual([]);
        expect(seen.toSorted()).toEqual(expected.toSorted());
        const order = await test.sql<
          { why: string }[]
        >`select why from event where services = '{agent}' and number > ${begin} order by number`;
        expect(seen).toEqual(order.map(({ why }) => why));
      }),
      { numRuns: 12, endOnFailure: true },
    );
    await writers.end({ timeout: 1 });
  }, 120_000);

  async function holdOpen(sql: Sql, why: string) {
    let commit = () => {};
    const asked = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let done: Promise<unknown> = Promise.resolve();
    await new Promise<void>((written) => {
      done = sql.begin(async (tx) => {
        await write(tx as unknown as Sql, why);
        written();
        await asked;
      });
    });
    return { commit, done };
  }
});

describe('a client that does not read', () => {
  it('is given up, and keeps nobody waiting', async () => {
    const before = test.lines.filter((line) => line.includes('stream.ended')).length;
    const socket = net.connect(test.api.port, '127.0.0.1');
    socket.write(`GET ${PATH}?after=${base} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${test.adminKey}\r\n\r\n`);
    socket.pause();
    await test.sql`insert into event (at, event, why, services)
                   select now(), 'incident.noted', repeat('x', 4000), '{agent}' from generate_series(1, 4000)`;
    const other = await open();
    await first(other);
    await expect
      .poll(async () => (await test.sql`select 1 from event where number = ${base + 4000}`).length, { timeout: 10_000 })
      .toBe(1);
    await expect
      .poll(() => test.lines.filter((line) => line.includes('stream.ended')).length, { timeout: 40_000 })
      .toBe(before + 1);
    socket.destroy();
  }, 60_000);
});
