import { errorCode, type Log } from '@tidegate/runtime';
import { addSourceCounts, type Sql } from '@tidegate/store';
import { createSourceTally, type SourceTally } from './source-tally.ts';

const TALLY_MS = 2000;

/** Writes the counts of sources down now and then, and the last of them at the stop. */
export function keepTally(sql: Sql, log: Log): { tally: SourceTally; stopTally(): Promise<void> } {
  const tally = createSourceTally((counts) => addSourceCounts(sql, counts), Date.now);
  const warn = (error: unknown) =>
    log.warn('store.unavailable', { operation: 'count_sources', code: errorCode(error) });
  const timer = setInterval(() => void tally.flush().catch(warn), TALLY_MS);
  return {
    tally,
    stopTally() {
      clearInterval(timer);
      return tally.flush();
    },
  };
}
