import type { Log, Metrics } from '@tidegate/runtime';
import type { ReadFrames } from './frames.ts';
import { type ReplayOptions, replayRecords } from './replay-records.ts';
import type { Spool } from './spool.ts';
import { decodeRecord } from './spooled-record.ts';

export interface ReplayerOptions extends ReplayOptions {
  readonly spool: Spool;
  readonly log: Log;
  readonly metrics: Metrics;
}

/**
 * Makes what records the spool, segment by segment, oldest first, until nothing is left in it. A segment is removed only when
 * all of it is in the store; whatever ends the process before that, it is replayed again, and counts once.
 */
export function createReplayer(options: ReplayerOptions): () => Promise<void> {
  const { spool, log, metrics } = options;

  return async () => {
    for (let next = await spool.oldest(); next !== null; next = await spool.oldest()) {
      const startedAtMs = performance.now();
      const { segment, frames } = next;
      const { records, unreadable } = decode(frames);
      const refused = await replayRecords(options, records);
      const bad = unreadable + refused;
      if (bad > 0) {
        // Before the file is moved, so that a process killed in between does not take the rest for all.
        await spool.set();
        metrics.count('record.lost', {}, bad);
        log.error('spool.damaged', { damaged: unreadable, refused });
      }
      await spool.finish(segment, bad === 0);
      metrics.count('record.replayed', {}, records.length - refused);
      metrics.set('record.spool_bytes', {}, spool.bytes());
      log.info('spool.replayed', { count: records.length, durationMs: Math.round(performance.now() - startedAtMs) });
    }
  };
}

function decode({ payloads, damaged }: ReadFrames) {
  const decoded = payloads.map(decodeRecord);
  const records = decoded.filter((record) => record !== null);
  return { records, unreadable: damaged + decoded.length - records.length };
}
