import { AppError } from '@tidegate/core';
import { createQuarantine } from '../quarantine/quarantine.ts';
import { saveQuarantined } from '../quarantine/save-quarantined.ts';
import type { Intake, IntakeItem } from '../receive/receive-delivery.ts';
import type { DeliveryOutcome } from './commit-deliveries.ts';
import { type CommitOptions, createCommit } from './create-commit.ts';
import { createGroupCommitter } from './group-committer.ts';
import { withDeadline } from './with-deadline.ts';

const MAX_BATCH = 512;
const MAX_WAITING = 20_000;
/** A database that accepts a commit and never answers must not hold senders for ever. */
const COMMIT_DEADLINE_MS = 10_000;

/** Wires the way from a parsed delivery to the commit that it shares with others. */
export function createIntake(options: CommitOptions): Intake {
  const { keyring, sealer, sql, queue } = options;
  const commit = createCommit(options);
  const committer = createGroupCommitter<IntakeItem, DeliveryOutcome>({
    commit: (batch) => withDeadline(commit(batch), COMMIT_DEADLINE_MS),
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    overloaded: () =>
      new AppError({
        code: 'receiver_overloaded',
        publicMessage: 'Too many deliveries wait to be recorded.',
        retryable: true,
      }),
  });
  const { save, verifyGates } = saveQuarantined(sql, queue);
  const quarantine = createQuarantine({
    sealer,
    save: (body, mayVerify) => withDeadline(save(body, mayVerify), COMMIT_DEADLINE_MS),
    verifyGates: (sourceId) => withDeadline(verifyGates(sourceId), COMMIT_DEADLINE_MS),
    now: () => performance.now(),
  });
  return { keyring, sealer, committer, quarantine, now: Date.now };
}
