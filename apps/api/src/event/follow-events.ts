import type { EventsReset } from '@tidegate/client';
import type { EventPage } from '@tidegate/store';
import type { EventWriter } from '../stream/event-writer.ts';
import type { EventTail } from './event-tail.ts';
import { limitEvent } from './limit-event.ts';
import { presentEvent } from './present-event.ts';

export interface Following {
  readonly writer: EventWriter;
  readonly tail: EventTail;
  /** Where the reader is, and what was read there; see `startAt`. */
  readonly start: EventStart;
  /** Services the reader may see; null for all. */
  readonly services: readonly string[] | null;
  readonly heartbeatMs: number;
}

/** The last number a reader knows; null to begin with what comes next, `none` with the first that is kept. */
export type KnownNumber = number | null | 'none' | 'unreadable';

export interface EventStart {
  readonly number: number;
  readonly page: EventPage;
}

/** Reads where a stream begins, before anything is answered. Throws as the store does. */
export async function startAt(tail: EventTail, known: KnownNumber): Promise<EventStart> {
  if (known === 'none') {
    const page = await tail.after(0);
    return { number: page.prunedThrough, page };
  }
  const page = await tail.after(typeof known === 'number' ? known : Number.MAX_SAFE_INTEGER);
  return { number: known === 'unreadable' ? Number.MAX_SAFE_INTEGER : (known ?? page.last), page };
}

/**
 * Tells a reader every event after the one it knows, in order and once each, until it is gone or `tail` stops. The first message
 * says where it begins, so that a reader that hears nothing else can come back. Throws as the store does.
 * @param tell called for each event that was told
 * @returns whether the stream ended because this process does
 */
export async function followEvents({ writer, tail, start, services, heartbeatMs }: Following, tell: () => void) {
  let { number, page } = start;
  if (findGap(number, page) === null) await writer.write({ id: number, event: 'ready', data: { number } });
  while (!writer.closed.aborted) {
    const gap = findGap(number, page);
    if (gap !== null) {
      number = page.last;
      await writer.write({ id: number, event: 'reset', data: { reason: gap, number } satisfies EventsReset });
    } else {
      for (const row of page.items) {
        const seen = limitEvent(row, services);
        if (seen !== null) await writer.write({ id: row.number, data: presentEvent(seen) });
        if (writer.closed.aborted) return { stopped: false };
        if (seen !== null) tell();
        number = row.number;
      }
    }
    const upToDate = page.items.length === 0 || number >= page.last;
    if (upToDate && (await pause({ writer, tail, heartbeatMs }, number))) return { stopped: true };
    if (!writer.closed.aborted) page = await tail.after(number);
  }
  return { stopped: false };
}

function findGap(number: number, { last, prunedThrough }: EventPage): EventsReset['reason'] | null {
  if (number > last) return 'unknown';
  return number < prunedThrough ? 'too_old' : null;
}

/** Waits for news, with a sign of life now and then. @returns whether this process ends */
async function pause(
  { writer, tail, heartbeatMs }: Pick<Following, 'writer' | 'tail' | 'heartbeatMs'>,
  number: number,
): Promise<boolean> {
  for (;;) {
    const end = await tail.wait(number, { waitMs: heartbeatMs, client: writer.closed });
    if (end !== 'expired') return end === 'stopped';
    await writer.beat(number);
  }
}
