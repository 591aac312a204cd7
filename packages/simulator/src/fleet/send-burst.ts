import { Agent } from 'node:http';
import { type PostOutcome, postBytes, webhookTarget } from '../account/post-webhook.ts';
import type { WebhookEvent } from '../account/webhook-event.ts';

export interface BurstOptions {
  /** Requests under way at once, over as many kept-alive connections; default 32. */
  readonly concurrency?: number;
  /** Milliseconds a receiver may stay silent; default 10 s. */
  readonly timeoutMs?: number;
  /** Ends the burst early: what is under way fails with `aborted`, the rest is not sent. */
  readonly signal?: AbortSignal;
  /** Told of each outcome as it comes, so that a caller knows which events were accepted; `index` counts from 0. */
  readonly onOutcome?: (outcome: PostOutcome, event: WebhookEvent | string, index: number) => void;
}

export interface BurstResult {
  /** Events taken and posted; the rest of an aborted burst is not counted. */
  readonly sent: number;
  /** Answers per HTTP status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Posts without an answer, per code. */
  readonly failures: Readonly<Record<string, number>>;
  readonly elapsedMs: number;
  /** Latency of all posts, answered or not; 0 when nothing was sent. */
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
}

/**
 * Posts each event once, as it stands (text is sent untouched), to the URLs in turn. `events` may be lazy: an event is
 * taken when a connection is free for it. Network trouble is counted, never thrown or retried; throws
 * `SimulatorError` `unsupported_url`.
 */
export async function sendBurst(
  urls: string | readonly string[],
  events: Iterable<WebhookEvent | string>,
  { concurrency = 32, timeoutMs = 10_000, signal, onOutcome }: BurstOptions = {},
): Promise<BurstResult> {
  const targets = (typeof urls === 'string' ? [urls] : urls).map(webhookTarget);
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency, maxFreeSockets: concurrency });
  const tally = createTally();
  let aborted = signal?.aborted ?? false;
  // Destroying the pool ends what is under way; a signal on each request would cost more than the request.
  const abort = () => {
    aborted = true;
    agent.destroy();
  };
  signal?.addEventListener('abort', abort, { once: true });
  const startedAt = performance.now();
  const queue = numbered(events);

  const work = async () => {
    // Breaking out of a for-of would close the shared iterator under the other workers, so it is asked by hand.
    for (let next = aborted ? null : queue.next(); next && !next.done; next = aborted ? null : queue.next()) {
      const [index, event] = next.value;
      const bytes = Buffer.from(typeof event === 'string' ? event : JSON.stringify(event));
      const posted = await postBytes(targets[index % targets.length] ?? {}, bytes, { agent, timeoutMs });
      const outcome = aborted && posted.outcome === 'failed' ? { ...posted, failure: 'aborted' } : posted;
      tally.add(outcome);
      onOutcome?.(outcome, event, index);
    }
  };
  try {
    await Promise.all(Array.from({ length: concurrency }, work));
  } finally {
    signal?.removeEventListener('abort', abort);
    agent.destroy();
    queue.return(undefined);
  }
  return tally.result(performance.now() - startedAt);
}

function* numbered<T>(items: Iterable<T>): Generator<[number, T]> {
  let index = 0;
  for (const item of items) {
    yield [index, item];
    index += 1;
  }
}

function createTally() {
  const statuses: Record<number, number> = {};
  const failures: Record<string, number> = {};
  const latencies: number[] = [];
  return {
    add: (outcome: PostOutcome) => {
      latencies.push(outcome.latencyMs);
      if (outcome.outcome === 'answered') statuses[outcome.status] = (statuses[outcome.status] ?? 0) + 1;
      else failures[outcome.failure] = (failures[outcome.failure] ?? 0) + 1;
    },
    result: (elapsedMs: number): BurstResult => {
      const sorted = Float64Array.from(latencies).sort();
      const at = (share: number) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
      const latencyMs = { p50: at(0.5), p99: at(0.99), max: at(1) };
      return { sent: latencies.length, statuses, failures, elapsedMs, latencyMs };
    },
  };
}
