import { AppError } from '@tidegate/core';
import type { AppContext } from '@tidegate/runtime';
import { beatReceiver, retireReceiver, type Sql } from '@tidegate/store';
import { withDeadline } from '../record/with-deadline.ts';
import type { Recorder } from '../spool/create-recorder.ts';
import { type Beating, keepBeating } from './keep-beating.ts';

const RETIRE_DEADLINE_MS = 2000;

/**
 * Registers this receiver, unless it has to catch up first, and goes on beating. At the stop it is taken off the list, so that
 * it does not hold gates for ever; not while something is still spooled, since then it should.
 */
export async function startBeating(options: {
  readonly sql: Sql;
  readonly recorder: Recorder;
  readonly receiverId: string;
  readonly context: Pick<AppContext, 'log' | 'stop'>;
}): Promise<Beating> {
  const { sql, recorder, receiverId, context } = options;
  const { log, stop } = context;
  // Before it accepts anything: a receiver nobody knows of could spool a Disconnected that holds no gate.
  if (recorder.isWhole()) await beatReceiver(sql, receiverId);
  const beating = keepBeating({
    catchUp: recorder.catchUp,
    beat: () => beatReceiver(sql, receiverId),
    isFatal: (error) => error instanceof AppError && FATAL.has(error.code),
    onFatal(error) {
      log.error('app.failed', { error, step: 'catch_up' });
      stop(1);
    },
    log,
  });
  return {
    async stop() {
      await beating.stop();
      if (recorder.isWhole()) await withDeadline(retireReceiver(sql, receiverId, 'self'), RETIRE_DEADLINE_MS);
    },
  };
}

/** What a start would have been refused for, had the store been there. */
const FATAL = new Set(['keyring_mismatch', 'schema_newer', 'server_too_old', 'source_secret_missing']);
