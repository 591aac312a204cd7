import { errorCode } from '@tidegate/runtime';
import { endOverrides, expireHands } from '@tidegate/store';
import { auditSigner } from '@tidegate/vault';
import { createHeadExporter } from '../audit/export-heads.ts';
import { createDrain } from '../wake/create-drain.ts';
import type { WorkerContext } from '../worker-context.ts';

const LOOK_EVERY_MS = 1000;

type HandContext = Pick<WorkerContext, 'sql' | 'config' | 'keyring' | 'log'>;

/**
 * Ends what a person decided for a time when that time is over: holds, forced openings and overrides. Then it exports the
 * head of the audit trail, whoever wrote to it.
 */
export function watchHands(context: HandContext): { look(): Promise<void>; stop(): Promise<void> } {
  const exportHead = createHeadExporter(context.sql, context.log);
  const drain = createDrain(async () => {
    await endWhatIsOver(context);
    await exportHead();
  });
  const look = () =>
    drain
      .wake()
      .catch((error: unknown) => context.log.warn('store.unavailable', { operation: 'hands', code: errorCode(error) }));
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return {
    look,
    async stop() {
      clearInterval(timer);
      await drain.stop();
    },
  };
}

/** The sweep finds the gates that are due for verification by this, and the groups that are armed again. */
async function endWhatIsOver({ sql, config, keyring, log }: HandContext): Promise<void> {
  for (const { service, generation } of await expireHands(sql, auditSigner(keyring))) {
    log.info('gate.held', { service, reason: 'hand_released', generation });
  }
  const fallback = config.policies.default;
  if (fallback === undefined) throw new Error('a loaded config always holds the default policy');
  for (const { incident, regrouped } of await endOverrides(sql, fallback)) {
    log.info('override.ended', { incident, groups: regrouped });
  }
}
