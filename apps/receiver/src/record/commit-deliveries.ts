import { AppError } from '@tidegate/core';
import {
  classifyStoreError,
  type DeliveryRecord,
  type RecordedBatch,
  type RecordSettings,
  recordBatch,
  type Sql,
  toStoreError,
} from '@tidegate/store';

const TRIES = 5;

export type DeliveryOutcome = { readonly kind: 'recorded'; readonly repeat: boolean } | { readonly kind: 'refused' };

/** What a commit woke: times at which rooms must look, and services whose gate shut. */
export interface CommitEffects {
  readonly armedDue: readonly Date[];
  readonly verifyDue: readonly Date[];
  readonly shut: readonly string[];
}

/**
 * Commits a batch. A lost deadlock is tried again as it is (the delivery ids make that harmless); a row the database
 * refuses is found by halving, so that its mates are kept; anything else, an unknown COMMIT outcome included, is thrown.
 * @throws AppError of `toStoreError`
 */
export async function commitDeliveries(
  sql: Sql,
  batch: readonly DeliveryRecord[],
  settings: RecordSettings,
  onCommit: (effects: CommitEffects, size: number) => void,
): Promise<DeliveryOutcome[]> {
  for (let left = TRIES; ; left -= 1) {
    try {
      const recorded: RecordedBatch = await recordBatch(sql, batch, settings);
      onCommit(recorded, batch.length);
      return recorded.repeats.map((repeat) => ({ kind: 'recorded', repeat }));
    } catch (error) {
      const failure = error instanceof AppError ? 'other' : classifyStoreError(error);
      if (failure === 'conflict' && left > 1) continue;
      if (failure !== 'bad_data') throw toStoreError(error);
      if (batch.length === 1) return [{ kind: 'refused' }];
      const middle = batch.length >> 1;
      const first = await commitDeliveries(sql, batch.slice(0, middle), settings, onCommit);
      return [...first, ...(await commitDeliveries(sql, batch.slice(middle), settings, onCommit))];
    }
  }
}
