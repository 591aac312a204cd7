import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type CallbackReceiver, createFleet, sendBurst, startCallbackReceiver } from '@tidegate/simulator';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { callHttp } from '../support/call-http.ts';
import { findProcesses } from '../support/find-processes.ts';
import { runToEnd, type Stack, startStack } from '../support/run-stack.ts';
import { makeTempFolder } from '../support/temp-folder.ts';

const CONFIG = { sources: [{ name: 'home-lab', watch: 'all' }] };
const LIMIT_MS = 10_000;

async function startForTest(): Promise<Stack> {
  const stack = await startStack({ config: CONFIG });
  onTestFinished(() => stack.close());
  return stack;
}

const webhookOf = (stack: Stack) => stack.ready().sources[0]?.webhookUrl ?? '';

describe('stopping', () => {
  it.each([
    ['SIGTERM', 'SIGTERM', 'parent'],
    ['Ctrl-C, which a terminal sends to the whole group', 'SIGINT', 'group'],
  ] as const)('on %s ends everything within ten seconds, in the middle of work', async (_title, signal, to) => {
    const stack = await startForTest();
    const { pids } = stack.ready();
    const answered: number[] = [];
    const load = sendBurst(webhookOf(stack), endlessEvents(), {
      concurrency: 16,
      onOutcome: (outcome) => {
        if (outcome.outcome === 'answered') answered.push(outcome.status);
      },
      signal: AbortSignal.any([untilExit(stack)]),
    });
    const slow = callHttp(`${stack.ready().apiUrl}/v1/gates`, { headers: { authorization: 'Bearer nobody' } });
    await slow;
    while (answered.length < 100) await new Promise(setImmediate);

    const exit = await stack.stop(signal, to);
    await load;
    expect(exit).toMatchObject({ code: 0, signal: null });
    expect(exit.elapsedMs).toBeLessThan(LIMIT_MS);
    expect(stack.processes()).toEqual([]);
    expect(existsSync(stack.readyFile)).toBe(false);
    expect(answered.filter((status) => status !== 202 && status !== 503)).toEqual([]);
    expect(stack.events('app.stopped').map((line) => line.app)).toEqual(
      expect.arrayContaining(['receiver', 'api', 'worker', 'tidegate']),
    );
    expect(Object.values(pids).filter((pid) => pid !== null)).toHaveLength(5);
  });
});

function untilExit(stack: Stack): AbortSignal {
  const controller = new AbortController();
  void stack.exited.then(() => controller.abort());
  return controller.signal;
}

function* endlessEvents() {
  const fleet = createFleet({ devices: 20, tunnelsPerDevice: 4 });
  for (let startMs = Date.now(); ; startMs += 1) yield* fleet.events('Disconnected', { startMs });
}
