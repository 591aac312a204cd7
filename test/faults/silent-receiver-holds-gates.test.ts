import type { Callback, Gate } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handOver } from '../support/hand-over.ts';
import { databaseUrl } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';
import { verifies } from '../support/verifies.ts';

const SILENT_AFTER_MS = 2000;
const ANSWERS = 300;

let world: World;
let stack: Stack;
let sql: Sql;
let stopped: number | null = null;

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  const sections = { receiver: { silentAfter: `${SILENT_AFTER_MS}ms` } };
  stack = await startStack({ config: stackConfig(world, { sections }) });
  sql = connect(databaseUrl(stack), { application: 'test', connections: 1 });
  await until('the gate opens', gate, ({ decision }) => decision === 'allowed');
});
afterAll(async () => {
  goOn();
  await sql?.end({ timeout: 1 });
  await stack?.close();
  await world?.close();
});

const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);

function goOn(): void {
  if (stopped !== null) process.kill(stopped, 'SIGCONT');
  stopped = null;
}

/** Stops the receiver as a hung machine does: its sockets stay open. */
function stopReceiver(): void {
  const pid = stack.ready().pids.receiver ?? 0;
  process.kill(pid, 'SIGSTOP');
  stopped = pid;
}

/** Until when the receiver counts as heard. */
async function heardUntil(): Promise<number> {
  const [row] = await sql<
    { heardUntil: Date }[]
  >`select min(heartbeat_at) + interval '2 seconds' as heard_until from receiver`;
  return row?.heardUntil.getTime() ?? 0;
}

async function ask(enough: (answers: readonly Gate[]) => boolean): Promise<Gate[]> {
  const answers: Gate[] = [];
  while (!enough(answers)) answers.push(await gate());
  return answers;
}

describe('a receiver that says nothing any more', () => {
  it(verifies('I2.heartbeat', 'holds the gate from the moment it is silent until it is heard again'), async () => {
    const { generation } = await gate();
    stopReceiver();
    const before = await ask((answers) => answers.at(-1)?.decision === 'held');
    const lateMs = Date.now();
    const heardUntilMs = await heardUntil();
    // What was allowed before may be acted on no longer than the receiver was known to be heard.
    const leases = before
      .filter(({ decision }) => decision === 'allowed')
      .map(({ validUntil }) => Date.parse(validUntil));
    expect(Math.max(...leases, 0)).toBeLessThanOrEqual(heardUntilMs);
    expect(lateMs - heardUntilMs).toBeLessThan(1500);
    const silent = await ask((answers) => answers.length >= ANSWERS);
    expect(new Set(silent.map(({ decision, reason }) => `${decision} ${reason}`))).toEqual(
      new Set(['held receiver_silent']),
    );
    goOn();
    const after = await until('it is heard', gate, ({ decision }) => decision === 'allowed');
    expect(after.generation).toBe(generation);
    await until(
      'the worker tells of both',
      () => stack.events('receiver.heard'),
      (lines) => lines.length === 1,
    );
    expect(stack.events('receiver.silent')).toMatchObject([{ level: 'warn', receiver: expect.any(String) }]);
  });

  it(verifies('I2.heartbeat', 'lets no verification open a gate and no callback be sent meanwhile'), async () => {
    stopReceiver();
    await until('the gate is held', gate, ({ decision }) => decision === 'held');
    const handed = await handOver(stack, {
      url: `${world.callbackReceiver.url}/report`,
      key: 'report',
      repeat: 'forbidden',
    });
    const [row] = await sql<{ generation: number }[]>`
      update gate set state = 'held', reason = 'policy_changed', generation = generation + 1, passes = 0, verify_run = null,
        verify_due_at = clock_timestamp() returning generation`;
    const passes = () =>
      sql`select 1 from verification where passed and not overtaken and generation = ${row?.generation ?? 0}`;
    await until('more passes than would open it', passes, (rows) => rows.length >= 4);
    expect(await gate()).toMatchObject({ decision: 'held', state: expect.stringMatching(/^(held|verifying)$/) });
    expect(world.callbackReceiver.requests).toEqual([]);
    goOn();
    await until('the gate opens', gate, ({ decision }) => decision === 'allowed');
    const callback = () => stack.get<Callback>(`/v1/callbacks/${handed.id}`);
    await until('it is sent', callback, ({ state }) => state === 'delivered');
    expect(world.callbackReceiver.effectsOf('report')).toBe(1);
  });
});
