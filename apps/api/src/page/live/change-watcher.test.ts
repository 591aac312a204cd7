import { describe, expect, it } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { createChangeWatcher } from './change-watcher.ts';

const EVERY_MS = 5;

function startWatcher() {
  const world = { mark: 'a', reads: 0, away: false };
  const watcher = createChangeWatcher(
    async () => {
      world.reads += 1;
      if (world.away) throw new Error('away');
      return world.mark;
    },
    { everyMs: EVERY_MS },
  );
  const join = () => {
    const heard = { changes: 0, stopped: false };
    const leave = watcher.watch({
      onChange: () => {
        heard.changes += 1;
      },
      onStop: () => {
        heard.stopped = true;
      },
    });
    return { heard, leave };
  };
  return { world, watcher, join };
}

describe('createChangeWatcher', () => {
  it('tells everybody of each change once, with one look for all', async () => {
    const { world, watcher, join } = startWatcher();
    const [first, second] = [join(), join()];
    await until(
      'the first look',
      () => first.heard.changes,
      (n) => n === 1,
    );
    const readsBefore = world.reads;
    world.mark = 'b';
    await until(
      'the change',
      () => second.heard.changes,
      (n) => n === 2,
    );
    expect(first.heard.changes).toBe(2);
    expect(world.reads - readsBefore).toBeLessThan(10);
    watcher.stop();
  });

  it('looks no more once the last has left', async () => {
    const { world, watcher, join } = startWatcher();
    const { heard, leave } = join();
    await until(
      'a look',
      () => heard.changes,
      (n) => n > 0,
    );
    leave();
    let before = -1;
    const rests = () => {
      const same = world.reads === before;
      before = world.reads;
      return same;
    };
    await until('it rests', rests, (same) => same);
    const again = join();
    await until(
      'a look anew',
      () => again.heard.changes,
      (n) => n > 0,
    );
    expect(heard.changes).toBe(1);
    watcher.stop();
  });

  it('says nothing while the store is away, and tells of what happened meanwhile', async () => {
    const { world, watcher, join } = startWatcher();
    const { heard } = join();
    await until(
      'a look',
      () => heard.changes,
      (n) => n === 1,
    );
    world.away = true;
    world.mark = 'b';
    const readsBefore = world.reads;
    await until(
      'looks that fail',
      () => world.reads,
      (n) => n > readsBefore + 2,
    );
    expect(heard.changes).toBe(1);
    world.away = false;
    await until(
      'the change',
      () => heard.changes,
      (n) => n === 2,
    );
    watcher.stop();
  });

  it('ends every watching when it stops, and every later one at once', () => {
    const { watcher, join } = startWatcher();
    const { heard } = join();
    watcher.stop();
    expect(heard.stopped).toBe(true);
    expect(join().heard.stopped).toBe(true);
  });
});
