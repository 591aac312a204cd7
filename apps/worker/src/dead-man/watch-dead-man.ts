import { setTimeout as delay } from 'node:timers/promises';
import type { Room } from '@tidegate/queue';
import { errorCode } from '@tidegate/runtime';
import { listReceivers, ping } from '@tidegate/store';
import type { Overview } from '../overview/create-overview.ts';
import { createDrain } from '../wake/create-drain.ts';
import type { WorkerContext } from '../worker-context.ts';

const TIMEOUT_MS = 10_000;
/** A sweep is made each second: after this many missed ones, nothing is decided here any more. */
const LATEST_SWEEP_MS = 15_000;
/** What a stop waits for a ping that hangs: nothing is lost with it, and the rooms have to be stopped after it. */
const STOP_WITHIN_MS = 500;

/** Why a ping is withheld: each is a way in which Tidegate would go on without doing its work. */
type Silence = 'store_unavailable' | 'no_receiver' | 'receiver_silent' | 'sweep_late' | `${Room}_stuck`;

type Work = Pick<Overview, 'sweptAgoMs' | 'stuckRoom'>;
type DeadManContext = Pick<WorkerContext, 'sql' | 'config' | 'log' | 'metrics' | 'pinger'>;

/**
 * Pings a service that raises the alarm when it hears nothing, for as long as Tidegate does its work from end to end: the
 * database answers and accepts writes, every receiver is heard, and this worker sweeps and does what each of its rooms has to.
 * Whoever is watched by itself says nothing when it dies.
 */
export function watchDeadMan(context: DeadManContext, work: Work): { look(): Promise<void>; stop(): Promise<void> } {
  const { config, log } = context;
  const url = config.deadMan?.url ?? null;
  if (config.deadMan === null || url === null) return { look: () => Promise.resolve(), stop: () => Promise.resolve() };
  let silence: Silence | null = null;
  const drain = createDrain(async () => {
    const found = await findSilence(context, work);
    if (found !== null && found !== silence) log.warn('dead_man.withheld', { reason: found });
    silence = found;
    if (found === null) await pingOnce(context, url);
    else context.metrics.count('dead_man.pings', { outcome: 'withheld' });
  });
  const look = () =>
    drain
      .wake()
      .catch((error: unknown) => log.warn('store.unavailable', { operation: 'dead_man', code: errorCode(error) }));
  const timer = setInterval(() => void look(), config.deadMan.everyMs);
  void look();
  return {
    look,
    async stop() {
      clearInterval(timer);
      await Promise.race([drain.stop(), delay(STOP_WITHIN_MS, undefined, { ref: false })]);
    },
  };
}

async function findSilence({ sql, config }: DeadManContext, work: Work): Promise<Silence | null> {
  if (work.sweptAgoMs() > LATEST_SWEEP_MS) return 'sweep_late';
  const stuck = work.stuckRoom();
  if (stuck !== null) return `${stuck}_stuck`;
  try {
    await ping(sql);
    const receivers = await listReceivers(sql, config.receiver.silentAfterMs);
    const waitedFor = receivers.filter(({ retiredAt }) => retiredAt === null);
    if (waitedFor.length === 0) return 'no_receiver';
    return waitedFor.some(({ silent }) => silent) ? 'receiver_silent' : null;
  } catch {
    return 'store_unavailable';
  }
}

async function pingOnce({ pinger, log, metrics }: DeadManContext, url: string): Promise<void> {
  const outcome = await pinger.ping(url, TIMEOUT_MS);
  metrics.count('dead_man.pings', { outcome: outcome.ok ? 'heard' : 'failed' });
  if (outcome.ok) return;
  log.warn('dead_man.failed', { reason: outcome.reason, status: outcome.status, durationMs: outcome.latencyMs });
}
