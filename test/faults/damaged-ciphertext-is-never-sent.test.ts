import type { CallbackDetail, Gate } from '@tidegate/client';
import { startWorld, type World } from '@tidegate/simulator';
import { connect, type Sql } from '@tidegate/store';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { handOver } from '../support/hand-over.ts';
import { databaseUrl } from '../support/run-app-alone.ts';
import { type Stack, startStack } from '../support/run-stack.ts';
import { SERVICE, stackConfig } from '../support/stack-config.ts';
import { until } from '../support/until.ts';

const ATTEMPTS = 3;
const COLUMNS = ['sealed_url', 'sealed_headers', 'sealed_body', 'sealed_idempotency_key'] as const;

let world: World;
let stack: Stack;
let sql: Sql;

beforeAll(async () => {
  world = await startWorld({ stoppedAppDelayMs: 300 });
  const retry = { attempts: ATTEMPTS, baseDelay: '50ms', maxDelay: '100ms' };
  stack = await startStack({ config: stackConfig(world, { policy: { release: { retry } } }) });
  world.connectWebhook(stack.ready().sources[0]?.webhookUrl ?? '');
  sql = connect(databaseUrl(stack), { application: 'test', connections: 1 });
});
afterAll(async () => {
  await sql?.end({ timeout: 1 });
  await stack?.close();
  await world?.close();
});

const gate = () => stack.get<Gate>(`/v1/gates/${SERVICE}`);
const isOver = ({ finishedAt }: CallbackDetail) => finishedAt !== null;
const ended = (id: string) => until('the end', () => stack.get<CallbackDetail>(`/v1/callbacks/${id}`), isOver);

describe('a callback whose sealed content was damaged in the store', () => {
  it('is never sent, and does not hold up the others', async () => {
    await until('the gate opens', gate, ({ decision }) => decision === 'allowed');
    await world.account.deviceGoesOffline(world.deviceName);
    const hand = (key: string) =>
      handOver(stack, { url: `${world.callbackReceiver.url}/${key}`, key, repeat: 'deduplicated', body: { key } });
    const damaged: string[] = [];
    for (const column of COLUMNS) {
      const { id } = await hand(`damaged-${column}`);
      damaged.push(id);
      // One bit in the middle, of what is ciphertext in any layout.
      await sql`update callback set ${sql(column)} = set_bit(${sql(column)}, length(${sql(column)}) * 8 - 100, 1 - get_bit(${sql(column)}, length(${sql(column)}) * 8 - 100)) where id = ${id}`;
    }
    // Sealed for another row: moved, not changed.
    const moved = await hand('moved');
    const intact = await hand('intact');
    await sql`update callback set sealed_body = (select sealed_body from callback where id = ${intact.id}) where id = ${moved.id}`;

    await world.account.deviceComesBack(world.deviceName);
    expect(await ended(intact.id)).toMatchObject({ state: 'delivered' });
    for (const id of [...damaged, moved.id]) {
      const { state, attempts, tries } = await ended(id);
      expect({ state, attempts }).toEqual({ state: 'failed', attempts: ATTEMPTS });
      expect(tries.map(({ phase, reason }) => [phase, reason])).toEqual(
        tries.map(() => ['not_sent', 'sealed_value_corrupt']),
      );
    }
    expect(world.callbackReceiver.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['intact']);
    await until('the end of the release', gate, ({ state }) => state === 'open');
  });
});
