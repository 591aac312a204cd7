import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createFleet, sendBurst } from '@tidegate/simulator';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findProcesses } from '../support/find-processes.ts';
import { runToEnd, type Stack, startStack } from '../support/run-stack.ts';
import { makeTempFolder } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';

const CONFIG = { sources: [{ name: 'home-lab', watch: 'all' }] };
const LIMIT_MS = 10_000;

function* endlessEvents() {
  const fleet = createFleet({ devices: 20, tunnelsPerDevice: 4 });
  for (let startMs = Date.now(); ; startMs += 1) yield* fleet.events('Disconnected', { startMs });
}

/** Posts without a pause, over connections that are kept, until the stack has ended; gives the statuses of the answers. */
function keepPosting(stack: Stack): { readonly statuses: number[]; readonly ended: Promise<unknown> } {
  const statuses: number[] = [];
  const end = new AbortController();
  void stack.exited.then(() => end.abort());
  const ended = sendBurst(stack.ready().sources[0]?.webhookUrl ?? '', endlessEvents(), {
    concurrency: 16,
    signal: end.signal,
    onOutcome: (outcome) => {
      if (outcome.outcome === 'answered') statuses.push(outcome.status);
    },
  });
  return { statuses, ended };
}

describe('stopping', () => {
  it.each([
    ['SIGTERM', 'SIGTERM', 'parent'],
    ['Ctrl-C, which a terminal sends to the whole group,', 'SIGINT', 'group'],
  ] as const)('on %s ends everything within ten seconds, in the middle of work', async (_title, signal, to) => {
    const stack = await startStack({ config: CONFIG });
    onTestFinished(() => stack.close());
    expect(Object.values(stack.ready().pids).filter((pid) => pid !== null)).toHaveLength(5);
    const { statuses, ended } = keepPosting(stack);
    await until(
      'work',
      () => statuses.length,
      (count) => count > 200,
    );

    const exit = await stack.stop(signal, to);
    const left = stack.processes();
    expect(exit).toMatchObject({ code: 0, signal: null });
    expect(exit.elapsedMs).toBeLessThan(LIMIT_MS);
    expect(left).toEqual([]);
    expect(existsSync(stack.readyFile)).toBe(false);
    await ended;
    expect(new Set(statuses)).toEqual(new Set([202]));
    const stopped = stack.events('app.stopped').map((line) => line.app);
    expect(stopped.toSorted()).toEqual(['api', 'receiver', 'tidegate', 'worker']);
  });

  it('while it is still starting leaves nothing behind either', async () => {
    const folder = await makeTempFolder('stopping');
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const started = performance.now();
    const run = runToEnd({ config: CONFIG, folder });
    const parent = await until(
      'the database has started',
      () => findProcesses(folder),
      (found) => found.length > 1,
    );
    for (const { pid, command } of parent) if (command.includes('main.js up')) process.kill(pid, 'SIGTERM');
    const toldMs = performance.now() - started;
    const exit = await run;
    expect(exit.elapsedMs - toldMs).toBeLessThan(LIMIT_MS);
    await until(
      'nothing is left',
      () => findProcesses(folder),
      (found) => found.length === 0,
      5000,
    );
    expect(existsSync(join(folder, 'ready.json'))).toBe(false);
    expect(exit).toMatchObject({ code: 0, signal: null });
    expect(exit.stderr.split('\n').filter((line) => line !== '' && !/^\{"level":"(info|warn)"/.test(line))).toEqual([]);
  });
});
