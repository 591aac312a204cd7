import { errorCode } from '@tidegate/runtime';
import { type Pruned, prune } from '@tidegate/store';
import { createDrain } from '../wake/create-drain.ts';
import type { WorkerContext } from '../worker-context.ts';

const FIRST_AFTER_MS = 60_000;
const PRUNE_EVERY_MS = 3_600_000;

type RetentionContext = Pick<WorkerContext, 'sql' | 'config' | 'log' | 'metrics'>;

/**
 * Prunes what is older than its retention, each hour; of several workers one does at a time. The first time a minute after
 * the start, when a worker has more urgent things behind it.
 */
export function watchRetention(context: RetentionContext): { look(): Promise<void>; stop(): Promise<void> } {
  const drain = createDrain(() => pruneOnce(context));
  const look = () =>
    drain
      .wake()
      .catch((error: unknown) =>
        context.log.warn('store.unavailable', { operation: 'retention', code: errorCode(error) }),
      );
  const first = setTimeout(() => void look(), FIRST_AFTER_MS);
  const timer = setInterval(() => void look(), PRUNE_EVERY_MS);
  return {
    look,
    async stop() {
      clearTimeout(first);
      clearInterval(timer);
      await drain.stop();
    },
  };
}

async function pruneOnce({ sql, config, log, metrics }: RetentionContext): Promise<void> {
  const startedAt = performance.now();
  const pruned = await prune(sql, config.retention);
  if (pruned === null) return;
  for (const [kind, rows] of Object.entries(pruned) as [keyof Pruned, number][]) {
    if (rows > 0) metrics.count('retention.pruned', { kind: METRIC_KIND[kind] }, rows);
  }
  log.info('retention.finished', { ...pruned, durationMs: Math.round(performance.now() - startedAt) });
}

const METRIC_KIND: Readonly<Record<keyof Pruned, string>> = {
  observations: 'observations',
  deliveries: 'deliveries',
  months: 'months',
  verifications: 'verifications',
  incidents: 'incidents',
  events: 'events',
  callbacks: 'callbacks',
  emptied: 'callback_contents',
  quarantine: 'quarantine',
  dataKeys: 'data_keys',
  other: 'other',
};
