import type { EventWriter } from '../../stream/event-writer.ts';
import { watchAccess } from '../../stream/watch-access.ts';
import type { ChangeWatcher } from './change-watcher.ts';

const BEAT_EVERY_MS = 15_000;

export interface FollowOptions {
  readonly writer: EventWriter;
  readonly changes: ChangeWatcher;
  /** Whether its session still lives; may reject while the store is away. */
  readonly isLive: () => Promise<boolean>;
  /** Called once, however it ends. */
  readonly onEnd: () => void;
  /** Of the look whether the session lives: see `watchAccess`. */
  readonly everyMs?: number;
  readonly unsureMs?: number;
}

/**
 * Tells a page that it is time to read itself again: `changed` after a change, `ended` when its session is over, and no more. When
 * nobody can say whether the session lives, the stream just ends, so that the page asks again.
 */
export function followChanges({ writer, changes, isLive, onEnd, ...pace }: FollowOptions): void {
  const leaving: (() => void)[] = [];
  let over = false;
  const finish = (event?: 'ended') => {
    if (over) return;
    over = true;
    for (const leave of leaving) leave();
    writer.end(event === undefined ? undefined : { event, data: 'session' });
    onEnd();
  };
  writer.closed.addEventListener('abort', () => finish(), { once: true });
  leaving.push(watchAccess(isLive, (isRefused) => finish(isRefused ? 'ended' : undefined), pace));
  const beating = setInterval(() => void writer.beat(0), BEAT_EVERY_MS);
  leaving.push(() => clearInterval(beating));
  const unwatch = changes.watch({ onChange: createTeller(writer), onStop: () => finish() });
  leaving.push(unwatch);
  if (writer.closed.aborted) finish();
  if (over) unwatch();
}

/** However many changes come while a slow client takes one message, they are one more. */
function createTeller(writer: EventWriter): () => void {
  let writing = false;
  let missed = false;
  const tell = async () => {
    writing = true;
    do {
      missed = false;
      await writer.write({ event: 'changed', data: 'page' });
    } while (missed);
    writing = false;
  };
  return () => {
    missed = writing;
    if (!writing) void tell();
  };
}
