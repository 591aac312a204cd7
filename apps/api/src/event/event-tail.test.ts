import type { EventPage, EventRow } from '@tidegate/store';
import { describe, expect, it } from 'vitest';
import { createEventTail } from './event-tail.ts';

const rows = (...numbers: number[]) => numbers.map((number) => ({ number }) as EventRow);
const numbersOf = (page: EventPage) => page.items.map(({ number }) => number);

/** A log that answers as the store does, with what was asked of it. */
function makeLog() {
  const asked: number[] = [];
  let stored = rows(1, 2, 3);
  let prunedThrough = 0;
  const read = async ({ after, limit }: { after: number; limit: number }): Promise<EventPage> => {
    asked.push(after);
    const items = stored.filter(({ number }) => number > after).slice(0, limit);
    return { items, last: stored.at(-1)?.number ?? prunedThrough, prunedThrough };
  };
  return {
    asked,
    read,
    add: (...numbers: number[]) => {
      stored = [...stored, ...rows(...numbers)];
    },
    prune: (through: number) => {
      stored = stored.filter(({ number }) => number > through);
      prunedThrough = through;
    },
  };
}

const client = new AbortController().signal;
const tailOf = (log: ReturnType<typeof makeLog>) => createEventTail(log.read, { pollEveryMs: 1, nowMs: () => 0 });

describe('the tail of events', () => {
  it('is read once for all who follow it', async () => {
    const log = makeLog();
    const tail = tailOf(log);
    expect(await tail.wait(2, { waitMs: 1000, client })).toBe('news');
    const waiting = [tail.wait(3, { waitMs: 1000, client }), tail.wait(3, { waitMs: 1000, client })];
    log.add(4, 5);
    expect(await Promise.all(waiting)).toEqual(['news', 'news']);
    const reads = log.asked.length;
    expect(numbersOf(await tail.after(3))).toEqual([4, 5]);
    expect(numbersOf(await tail.after(4))).toEqual([5]);
    expect(log.asked).toHaveLength(reads);
    tail.stop();
  });

  it('never shows a gap where retention took what nobody had followed', async () => {
    const log = makeLog();
    const tail = tailOf(log);
    await tail.wait(2, { waitMs: 1000, client });
    log.add(4);
    await tail.wait(3, { waitMs: 1000, client });
    log.add(5, 6, 7);
    log.prune(6);
    await tail.wait(4, { waitMs: 1000, client });
    expect(await tail.after(4)).toMatchObject({ items: rows(7), prunedThrough: 6 });
    expect(numbersOf(await tail.after(6))).toEqual([7]);
    tail.stop();
  });

  it('ends every wait when it stops, and a wait whose client is gone', async () => {
    const tail = tailOf(makeLog());
    const leaving = new AbortController();
    const waits = [tail.wait(3, { waitMs: 60_000, client }), tail.wait(3, { waitMs: 60_000, client: leaving.signal })];
    leaving.abort();
    expect(await waits[1]).toBe('gone');
    tail.stop();
    expect(await waits[0]).toMatch(/stopped|news/);
    expect(await tail.wait(3, { waitMs: 60_000, client })).toBe('stopped');
  });
});
