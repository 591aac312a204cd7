import { statSync } from 'node:fs';
import { connect } from 'node:net';
import type { ObservationPage } from '@tidegate/client';
import { postWebhook } from '@tidegate/simulator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callHttp } from '../support/call-http.ts';
import { isAlive } from '../support/find-processes.ts';
import { tellsOfLostDatabase } from '../support/provoked-lines.ts';
import { databaseUrl, runAppAlone } from '../support/run-app-alone.ts';
import { type ReadyFile, type Stack, startStack } from '../support/run-stack.ts';
import { until } from '../support/until.ts';

const LIMIT_MS = 2000;

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({
    config: { sources: [{ name: 'home-lab', watch: 'all' }] },
    provokes: tellsOfLostDatabase,
  });
});
afterAll(() => stack?.close());

const answers = (url: string) => callHttp(url).then((answer) => answer.status);

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/**
 * Two seconds, but where a machine is so busy that an app by itself needs longer to start, no supervisor can be quicker: then
 * twice that.
 */
async function limitFor(child: 'receiver' | 'api' | 'worker', tookMs: number): Promise<number> {
  if (tookMs < LIMIT_MS) return LIMIT_MS;
  const alone = await runAppAlone(stack, child);
  await alone.stop();
  return Math.max(LIMIT_MS, 2 * alone.startMs);
}

/** Kills a child and gives how long it took until it served again, and what the ready file says then. */
async function killAndTime(child: 'receiver' | 'api' | 'worker' | 'postgres', serves: () => Promise<boolean>) {
  const before = stack.ready();
  const pid = before.pids[child] ?? 0;
  const killedAt = performance.now();
  process.kill(pid, 'SIGKILL');
  await until(
    `the old ${child} is gone`,
    () => isAlive(pid),
    (alive) => !alive,
  );
  await until(`a new ${child} serves`, serves, (served) => served);
  const elapsedMs = performance.now() - killedAt;
  const after = await until(
    'the new ready file',
    () => stack.ready(),
    (ready) => ready.pids[child] !== pid,
    5000,
  );
  const rewrittenMs = performance.now() - killedAt;
  return { before, after, elapsedMs, rewrittenMs };
}

const withoutPid = ({ pids, ...rest }: ReadyFile, child: keyof ReadyFile['pids']) => ({
  ...rest,
  pids: { ...pids, [child]: 'changed' },
});

describe('a child that dies is started again on its ports within two seconds, and the ready file says so', () => {
  it.each(['receiver', 'api', 'worker'] as const)('%s', async (child) => {
    const health = `${stack.ready().adminUrls[child]}/readyz`;
    const result = await killAndTime(child, async () => (await answers(health)) === 200);
    expect(withoutPid(result.after, child)).toEqual(withoutPid(result.before, child));
    expect(isAlive(result.after.pids[child] ?? 0)).toBe(true);
    expect(statSync(stack.readyFile).mode & 0o777).toBe(0o600);
    expect(result.rewrittenMs).toBeLessThan(await limitFor(child, result.rewrittenMs));
  });

  it('the embedded Postgres, and its clients find it again', async () => {
    const { port } = new URL(databaseUrl(stack));
    const result = await killAndTime('postgres', () => accepts(Number(port)));
    expect(result.elapsedMs).toBeLessThan(LIMIT_MS);
    expect(withoutPid(result.after, 'postgres')).toEqual(withoutPid(result.before, 'postgres'));
    for (const url of Object.values(stack.ready().adminUrls)) {
      await until(
        'it is ready again',
        () => answers(`${url}/readyz`),
        (status) => status === 200,
      );
    }
  });

  it('all of them one after the other, and the work goes on', async () => {
    for (const child of ['postgres', 'worker', 'receiver', 'api'] as const) {
      process.kill(stack.ready().pids[child] ?? 0, 'SIGKILL');
    }
    const webhookUrl = stack.ready().sources[0]?.webhookUrl ?? '';
    const event = { Id: '298487', ActionDate: '2026-11-30T10:00:00Z', Type: 'Tunnel', Status: 'Disconnected' };
    const posted = await until(
      'a delivery is accepted',
      () => postWebhook(webhookUrl, event),
      (outcome) => outcome.outcome === 'answered' && outcome.status === 202,
    );
    const { observation } = JSON.parse(posted.outcome === 'answered' ? posted.body : '{}') as { observation: string };
    const page = await until(
      'the api shows it',
      () => stack.get<ObservationPage>('/v1/observations'),
      ({ items }) => items.length > 0,
    );
    expect(page.items.map((item) => item.id)).toEqual([observation]);
    const { pids } = await until('the ready file names living processes', stack.ready, ({ pids }) =>
      Object.values(pids).every((pid) => pid === null || isAlive(pid)),
    );
    expect(pids.parent).toBe(stack.pid);
  });
});
