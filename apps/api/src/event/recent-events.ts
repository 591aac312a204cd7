import type { EventPage, EventRow } from '@tidegate/store';

/** The newest events are kept for all streams, so that each new one is read once, however many follow. */
const MOST_KEPT = 1000;

export interface RecentEvents {
  /** The last number that was seen; null before any. */
  last(): number | null;
  /** Takes what was read after `last()`. */
  add(page: EventPage): void;
  /** The events after a number, `limit` at most; null when they are not all here. */
  after(number: number, limit: number): EventPage | null;
  forget(): void;
}

/** Keeps the newest events, always without a gap. */
export function createRecentEvents(): RecentEvents {
  let kept: EventRow[] = [];
  let last: number | null = null;

  const forget = () => {
    kept = [];
    last = null;
  };

  return {
    last: () => last,
    forget,
    add(page) {
      // Numbers only grow; a database that was put back to an earlier state starts anew.
      if (last !== null && page.last < last) forget();
      const [first] = page.items;
      // Retention took what came between.
      if (first !== undefined && first.number - 1 !== last) kept = [];
      kept = [...kept, ...page.items].slice(-MOST_KEPT);
      last = page.items.at(-1)?.number ?? last ?? page.last;
    },
    after(number, limit) {
      const [first] = kept;
      if (last === null || first === undefined || number + 1 < first.number || number > last) return null;
      const from = number + 1 - first.number;
      return { items: kept.slice(from, from + limit), last, prunedThrough: 0 };
    },
  };
}
