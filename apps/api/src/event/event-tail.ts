import type { EventPage } from '@tidegate/store';
import { createRecentEvents } from './recent-events.ts';

/** Events that one look may bring, and that a stream holds at once. */
const EVENT_PAGE = 200;
/** What was kept before such a pause is not worth catching up with. */
const LONGEST_PAUSE_MS = 10_000;

type WaitEnd = 'news' | 'expired' | 'gone' | 'stopped';

export interface EventTail {
  /** Up to a page of events after a number, in order. Throws as the store does. */
  after(number: number): Promise<EventPage>;
  /** Waits until there may be events after a number, at most `waitMs`, or until `client` aborts. Never rejects. */
  wait(number: number, options: { waitMs: number; client: AbortSignal }): Promise<WaitEnd>;
  /** Ends every wait at once, and every later one as it begins. */
  stop(): void;
}

interface Waiter {
  readonly number: number;
  end(how: WaitEnd): void;
}

/**
 * Follows the numbered events for all who wait: one look every `pollEveryMs`, none while nobody waits. A look that fails is
 * followed by the next; whoever cannot live with a store that is away looks after that himself.
 */
export function createEventTail(
  read: (question: { after: number; limit: number }) => Promise<EventPage>,
  { pollEveryMs, nowMs }: { readonly pollEveryMs: number; readonly nowMs: () => number },
): EventTail {
  const waiters = new Set<Waiter>();
  const recent = createRecentEvents();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;

  function plan(waitMs: number): void {
    if (timer === null && waiters.size > 0 && !stopped) timer = setTimeout(look, waitMs);
  }

  async function look(): Promise<void> {
    const full = await lookOnce().catch(() => false);
    timer = null;
    plan(full ? 0 : pollEveryMs);
  }

  /** @returns whether there may be more at once */
  async function lookOnce(): Promise<boolean> {
    if (nowMs() - lookedAtMs > LONGEST_PAUSE_MS) recent.forget();
    const last = recent.last();
    const page = await read(last === null ? { after: 0, limit: 0 } : { after: last, limit: EVENT_PAGE });
    recent.add(page);
    lookedAtMs = nowMs();
    for (const waiter of [...waiters]) if (waiter.number !== recent.last()) waiter.end('news');
    return page.items.length === EVENT_PAGE;
  }

  return {
    async after(number) {
      return recent.after(number, EVENT_PAGE) ?? read({ after: number, limit: EVENT_PAGE });
    },
    wait(number, { waitMs, client }) {
      if (stopped) return Promise.resolve('stopped');
      if (client.aborted) return Promise.resolve('gone');
      const waiting = startWaiting(waiters, number, waitMs, client);
      plan(pollEveryMs);
      return waiting;
    },
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      for (const waiter of [...waiters]) waiter.end('stopped');
    },
  };
}

function startWaiting(waiters: Set<Waiter>, number: number, waitMs: number, client: AbortSignal): Promise<WaitEnd> {
  return new Promise((resolve) => {
    const onGone = () => waiter.end('gone');
    const expiry = setTimeout(() => waiter.end('expired'), waitMs);
    const waiter: Waiter = {
      number,
      end(how) {
        clearTimeout(expiry);
        client.removeEventListener('abort', onGone);
        waiters.delete(waiter);
        resolve(how);
      },
    };
    client.addEventListener('abort', onGone, { once: true });
    waiters.add(waiter);
  });
}
