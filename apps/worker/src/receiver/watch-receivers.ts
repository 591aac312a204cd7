import { errorCode } from '@tidegate/runtime';
import { listReceivers, type ReceiverRow, retireLongSilent } from '@tidegate/store';
import { createDrain } from '../wake/create-drain.ts';
import type { WorkerContext } from '../worker-context.ts';

const LOOK_EVERY_MS = 1000;

type ReceiverContext = Pick<WorkerContext, 'sql' | 'config' | 'log' | 'metrics'>;

/**
 * Tells of each receiver that falls silent and is heard again, once per change, and stops waiting for those that have been
 * silent for longer than `receiver.retireAfter`.
 */
export function watchReceivers(context: ReceiverContext): { look(): Promise<void>; stop(): Promise<void> } {
  let silent: ReadonlySet<string> = new Set();
  const drain = createDrain(async () => {
    silent = await lookOnce(context, silent);
  });
  const look = () =>
    drain
      .wake()
      .catch((error: unknown) =>
        context.log.warn('store.unavailable', { operation: 'receivers', code: errorCode(error) }),
      );
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return {
    look,
    async stop() {
      clearInterval(timer);
      await drain.stop();
    },
  };
}

/** @returns the ids that are silent now */
async function lookOnce(
  { sql, config, log, metrics }: ReceiverContext,
  before: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const { silentAfterMs, retireAfterMs } = config.receiver;
  const retired = await retireLongSilent(sql, retireAfterMs);
  const receivers = await listReceivers(sql, silentAfterMs);
  const durations = new Map(receivers.map(({ id, silentForMs }) => [id, Math.round(silentForMs)]));
  for (const id of retired) log.warn('receiver.retired', { receiver: id, durationMs: durations.get(id) });
  for (const row of receivers) tellChange(log, row, before.has(row.id));
  const silent = receivers.filter((row) => row.silent).map(({ id }) => id);
  metrics.set('gate.silent_receivers', {}, silent.length);
  return new Set(silent);
}

function tellChange(log: WorkerContext['log'], row: ReceiverRow, wasSilent: boolean): void {
  if (row.silent && !wasSilent) {
    log.warn('receiver.silent', { receiver: row.id, durationMs: Math.round(row.silentForMs) });
  }
  if (!row.silent && wasSilent && row.retiredAt === null) log.info('receiver.heard', { receiver: row.id });
}
