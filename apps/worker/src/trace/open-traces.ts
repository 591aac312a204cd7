import { createAddressGuard, createTraceSender, type TraceOutcome } from '@tidegate/outbound';
import type { WorkerContext } from '../worker-context.ts';
import { createTraces, NO_TRACES, type Traces } from './create-traces.ts';

type TraceContext = Pick<WorkerContext, 'sql' | 'config' | 'log' | 'metrics'>;

/** Opens the way to the collector of the config; without one nothing is loaded, looked up or sent. */
export function openTraces({ sql, config, log, metrics }: TraceContext): Traces {
  const { traces } = config;
  if (traces === null || traces.url === null) return NO_TRACES;
  let dropping = false;
  const onOutcome = (outcome: TraceOutcome) => {
    if ('sent' in outcome) {
      dropping = false;
      metrics.count('trace.spans', { outcome: 'sent' }, outcome.sent);
      return;
    }
    const { dropped: count, reason, status } = outcome;
    metrics.count('trace.spans', { outcome: 'dropped' }, count);
    // A collector that is away would be told of every few seconds.
    if (!dropping) log.warn('traces.dropped', { count, reason, status });
    dropping = true;
  };
  const guard = createAddressGuard({ allowPrivate: traces.allowPrivate, denied: [] });
  const sender = createTraceSender({ url: traces.url, headers: traces.headers, guard, onOutcome });
  return createTraces({ sql, sender });
}
