import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { holdUnknown, readGates } from '@tidegate/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeWorkerContext, plainService } from '../../../../test/support/make-worker-context.ts';
import { passTime } from '../../../../test/support/pass-time.ts';
import { POLICIES } from '../../../../test/support/policies.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { applyConfig } from '../apply-config.ts';
import { createSlots } from '../wake/create-slots.ts';
import type { WorkerContext } from '../worker-context.ts';
import { verifyRoom } from './verify-room.ts';

const POLL_EVERY_MS = 60_000;
let database: TestDatabase;
let agent: Server;
let context: WorkerContext;
let close: () => Promise<void>;

beforeEach(async () => {
  database = await createTestDatabase();
  agent = createServer((_request, response) => response.end('ok'));
  await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(agent.address() as AddressInfo).port}/`;
  const probe = { url, headers: {}, expect: { status: 200, bodyIncludes: null, nonce: false } };
  const service = plainService('agent', null, '298487');
  const made = await makeWorkerContext({
    databaseUrl: database.url,
    localtonet: { baseUrl: url, apiKey: 'k', pollEveryMs: POLL_EVERY_MS },
    services: [{ ...service, probes: { ...service.probes, public: probe } }],
    policy: { verify: { ...POLICIES.fallback.verify, passes: 1 } },
  });
  ({ context, close } = made);
  await context.sql`insert into source (name, group_name, time_zone, watch) values ('home-lab', 'home-lab', 'UTC', 'linked')`;
  await applyConfig(context, made.dataDir);
});
afterEach(async () => {
  await close();
  agent.close();
  await database.drop();
});

/** Verifies whatever is due, as the sweep does. */
async function verify(): Promise<void> {
  const failures: unknown[] = [];
  const slots = createSlots(
    4,
    () => {},
    (error) => failures.push(error),
  );
  await verifyRoom({ context, account: null, budget: (_key, call) => call(), slots });
  await slots.idle();
  expect(failures).toEqual([]);
}

describe('the verification of an open gate', () => {
  it('comes often enough that a subject no poll speaks of does not shut it again and again', async () => {
    await verify();
    const [opened] = await readGates(context.sql, null, 5000);
    expect(opened?.state).toBe('open');
    for (let elapsedMs = 0; elapsedMs < 900_000; elapsedMs += 10_000) {
      await passTime(context.sql, 10_000);
      await verify();
      expect(await holdUnknown(context.sql, 3 * POLL_EVERY_MS)).toEqual([]);
    }
    expect(await readGates(context.sql, null, 5000)).toMatchObject([{ state: 'open', generation: opened?.generation }]);
  });
});
