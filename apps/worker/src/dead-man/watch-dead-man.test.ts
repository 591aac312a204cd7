import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Room } from '@tidegate/queue';
import { beatReceiver, expectReceiver } from '@tidegate/store';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeWorkerContext } from '../../../../test/support/make-worker-context.ts';
import { createTestDatabase, type TestDatabase } from '../../../../test/support/test-database.ts';
import { until } from '../../../../test/support/until.ts';
import type { WorkerContext } from '../worker-context.ts';
import { watchDeadMan } from './watch-dead-man.ts';

const SECRET = 'invented-ping-secret';
/** So long that only `look` pings. */
const NEVER_MS = 3_600_000;

let database: TestDatabase;
let made: Awaited<ReturnType<typeof makeWorkerContext>>;
let server: Server;
let status: number;
let pings: string[];
let lines: string[];

beforeEach(async () => {
  [status, pings, lines] = [200, [], []];
  database = await createTestDatabase();
  made = await makeWorkerContext({ databaseUrl: database.url, localtonet: null, log: (line) => lines.push(line) });
  server = createServer((request, response) => {
    pings.push(`${request.method} ${request.url}`);
    response.writeHead(status).end(`thanks for ${SECRET}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  await made.close();
  await database.drop();
  server.closeAllConnections();
  server.close();
});

function watch({ sweptAgoMs = 0, stuck = null as Room | null, everyMs = NEVER_MS } = {}) {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ping/${SECRET}`;
  const context: WorkerContext = { ...made.context, config: { ...made.context.config, deadMan: { url, everyMs } } };
  return { watching: watchDeadMan(context, { sweptAgoMs: () => sweptAgoMs, stuckRoom: () => stuck }), context };
}

const withheld = () => lines.filter((line) => line.includes('dead_man.withheld'));

describe('the dead-man ping', () => {
  it('goes out while the store, every receiver and the sweep do their work, again and again', async () => {
    await beatReceiver(made.context.sql, 'rcv_one');
    const { watching, context } = watch({ everyMs: 50 });
    await until(
      'three pings',
      () => pings.length,
      (count) => count >= 3,
    );
    await watching.stop();
    const count = pings.length;
    expect(new Set(pings)).toEqual(new Set([`GET /ping/${SECRET}`]));
    await watching.look();
    expect(pings).toHaveLength(count);
    const metrics = await context.metrics.text();
    expect(metrics).toMatch(/tidegate_deadman_pings_total\{[^}]*outcome="heard"[^}]*\} \d+/);
    expect(metrics + lines.join()).not.toContain(SECRET);
  });

  it.each([
    ['no_receiver', async () => {}, {}],
    ['receiver_silent', (context: WorkerContext) => expectReceiver(context.sql, 'rcv_one', 5000), {}],
    ['sweep_late', (context: WorkerContext) => beatReceiver(context.sql, 'rcv_one'), { sweptAgoMs: 20_000 }],
    ['correlate_stuck', (context: WorkerContext) => beatReceiver(context.sql, 'rcv_one'), { stuck: 'correlate' }],
    ['store_unavailable', (context: WorkerContext) => context.sql.end(), {}],
  ] as const)('is withheld for %s, which is said once', async (reason, arrange, work) => {
    await arrange(made.context);
    const { watching } = watch(work);
    await watching.look();
    await watching.look();
    await watching.stop();
    expect(pings).toEqual([]);
    expect(withheld()).toEqual([expect.stringContaining(`"reason":"${reason}"`)]);
  });

  it('comes back with the receiver, and says again what is silent later', async () => {
    await beatReceiver(made.context.sql, 'rcv_one');
    const { watching, context } = watch();
    await watching.look();
    for (const silent of [true, false, true]) {
      if (silent) await context.sql`update receiver set heartbeat_at = clock_timestamp() - interval '1 minute'`;
      else await beatReceiver(context.sql, 'rcv_one');
      const before = pings.length;
      await watching.look();
      expect(pings.length > before).toBe(!silent);
    }
    await watching.stop();
    expect(withheld()).toHaveLength(2);
  });

  it('keeps no stop waiting when its service hangs', async () => {
    await beatReceiver(made.context.sql, 'rcv_one');
    server.removeAllListeners('request').on('request', () => pings.push('unanswered'));
    const { watching } = watch();
    const looking = watching.look();
    await until(
      'a ping that hangs',
      () => pings.length,
      (count) => count > 0,
    );
    const startedAtMs = performance.now();
    await watching.stop();
    expect(performance.now() - startedAtMs).toBeLessThan(3000);
    await made.context.pinger.close();
    await looking;
  });

  it('that is not heard is told in the log by its code, without the URL', async () => {
    await beatReceiver(made.context.sql, 'rcv_one');
    status = 500;
    const { watching } = watch();
    await watching.look();
    await watching.stop();
    expect(lines.join('\n')).toMatch(/"event":"dead_man\.failed".*"reason":"status","status":500/);
    expect(lines.join()).not.toContain(SECRET);
  });
});
