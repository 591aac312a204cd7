import type { CallbackDetail, Gate } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HandedOver, handOver } from '../support/hand-over.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, SOURCE, stackConfig } from '../support/stack-config.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const ATTEMPTS = 5;
const ELAPSED_MS = 9000;
/** An attempt that began just in time, and the reading of two clocks. */
const SLACK_MS = 1000;
const TIMED = 'timed-agent';

/** The callbacks of this test, each named as its path and key are. */
const CALLBACKS: Readonly<Record<'counted' | 'timed' | 'late' | 'dated', Partial<HandedOver>>> = {
  /** Bounded by attempts. */
  counted: {},
  /** Bounded by time. */
  timed: { service: TIMED },
  /** Bounded by time that passes while nothing runs. */
  late: { service: TIMED },
  /** With a deadline that passes while nothing runs. */
  dated: { deadline: new Date(Date.now() + 3_600_000).toISOString() },
};
type Name = keyof typeof CALLBACKS;

let world: World;
let database: TestDatabase;
let sql: Sql;
let config: object;
let first: Stack;
let second: Stack;
const ids = new Map<Name, string>();
const sentBefore = new Map<Name, number>();

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  database = await createTestDatabase();
  sql = connect(database.url, { application: 'test', connections: 1 });
  // Never taken up, and asks to be left alone for a second: so attempts are spaced, and the kill falls between two of them.
  world.callbackReceiver.setBehaviour({ kind: 'retry_after', retryAfter: 1 });
  const retry = { baseDelay: '100ms', maxDelay: '1s' };
  const tunnel = { id: '298490', title: TIMED, url: 'https://timed.tunnels.example', deviceToken: world.deviceToken };
  world.account.addTunnel(tunnel);
  const probes = { liveness: { url: world.probeUrls.liveness } };
  config = stackConfig(world, {
    policy: { release: { retry: { ...retry, attempts: ATTEMPTS, maxElapsed: '1h' } } },
    policies: { timed: { release: { retry: { ...retry, attempts: 100, maxElapsed: `${ELAPSED_MS}ms` } } } },
    services: [{ name: TIMED, source: SOURCE, tunnel: tunnel.id, policy: 'timed', probes }],
  });
  first = await startStack({ config, env: { DATABASE_URL: database.url } });
});
afterAll(async () => {
  await second?.close();
  await first?.close();
  await sql?.end({ timeout: 1 });
  await database?.drop();
  await world?.close();
});

const callbackOf = (stack: Stack, name: Name) => stack.get<CallbackDetail>(`/v1/callbacks/${ids.get(name)}`);
const requestsTo = (name: Name) => world.callbackReceiver.requests.filter((request) => request.path === `/${name}`);
const untilEnded = (name: Name) =>
  until(
    `the end of ${name}`,
    () => callbackOf(second, name),
    ({ finishedAt }) => finishedAt !== null,
  );

describe('a callback that is refused again and again', () => {
  it('is tried until everything is killed', async () => {
    for (const service of [SERVICE, TIMED]) {
      const gate = () => first.get<Gate>(`/v1/gates/${service}`);
      await until(`the gate of ${service} opens`, gate, ({ decision }) => decision === 'allowed');
    }
    const names = Object.keys(CALLBACKS) as Name[];
    for (const name of names) {
      const url = `${world.callbackReceiver.url}/${name}`;
      const taken = await handOver(first, { url, key: name, repeat: 'forbidden', ...CALLBACKS[name] });
      ids.set(name, taken.id);
    }
    // An attempt that the kill cuts off would be ambiguous, which is another story.
    const resting = ({ attempts, state, dueAt }: CallbackDetail) =>
      attempts >= 2 && state === 'retrying' && Date.parse(dueAt ?? '') > Date.now() + 200;
    const all = () => Promise.all(names.map((name) => callbackOf(first, name)));
    await until('two attempts of each, and none under way', all, (now) => now.every(resting));
    process.kill(first.pid, 'SIGKILL');
    await first.exited;
    await until('all is gone', first.processes, (found) => found.length === 0);
    for (const name of names) sentBefore.set(name, requestsTo(name).length);
    // Time travel while nothing runs.
    await sql`update attempt set started_at = started_at - interval '1 hour' where callback_id = ${ids.get('late') ?? ''}`;
    await sql`update callback set deadline_at = clock_timestamp() where id = ${ids.get('dated') ?? ''}`;
  });

  it(verifies('I9', 'has no attempt more after a restart than its policy allows'), async () => {
    second = await startStack({ config, folder: first.folder, env: { DATABASE_URL: database.url } });
    const ended = await untilEnded('counted');
    expect(ended).toMatchObject({
      state: 'failed',
      attempts: ATTEMPTS,
      reason: 'retry_attempts_exhausted',
      dueAt: null,
    });
    expect(ended.tries.map(({ number, status }) => [number, status])).toEqual(
      Array.from({ length: ATTEMPTS }, (_, index) => [index + 1, 429]),
    );
    expect(requestsTo('counted')).toHaveLength(ATTEMPTS);
  });

  it(verifies('I9', 'and no time more, counted from its first attempt'), async () => {
    const ended = await untilEnded('timed');
    expect(ended).toMatchObject({ state: 'failed', reason: 'retry_elapsed_exhausted' });
    const beganMs = Date.parse(ended.tries[0]?.startedAt ?? '');
    expect(Math.max(...requestsTo('timed').map(({ atMs }) => atMs)) - beganMs).toBeLessThan(ELAPSED_MS + SLACK_MS);
  });

  it(verifies('I9', 'and is not tried once more when its time ended while nothing ran'), async () => {
    const ended = await untilEnded('late');
    expect(ended).toMatchObject({ state: 'failed', reason: 'retry_elapsed_exhausted' });
    expect(requestsTo('late')).toHaveLength(sentBefore.get('late') ?? 0);
    expect(ended.tries.filter(({ phase }) => phase === 'answered')).toHaveLength(requestsTo('late').length);
  });

  it('is not tried once more after its deadline', async () => {
    expect(await untilEnded('dated')).toMatchObject({ state: 'expired', reason: 'deadline_passed', dueAt: null });
    expect(requestsTo('dated')).toHaveLength(sentBefore.get('dated') ?? 0);
  });
});
