import { AppError } from '@tidegate/core';
import { errorCode, type Log } from '@tidegate/runtime';
import type { QuarantinedBody } from '@tidegate/store';
import type { SaveQuarantined } from '../quarantine/save-quarantined.ts';
import type { IntakeItem } from '../receive/receive-delivery.ts';
import type { CommitEffects, DeliveryOutcome } from '../record/commit-deliveries.ts';
import { withDeadline } from '../record/with-deadline.ts';
import type { Keeper } from './create-keeper.ts';
import type { Spool } from './spool.ts';

/** Records in the store or, while that is away or behind, in the spool: what was spooled is recorded before what comes later. */
export interface Recorder {
  /** Records a batch. Rejects when it was spooled, or lost: answer 503. */
  commit(batch: readonly IntakeItem[]): Promise<readonly DeliveryOutcome[]>;
  /** Spools a delivery that cannot wait for its commit, and rejects. */
  refuse(item: IntakeItem): Promise<never>;
  /** Stores a malformed body. Rejects when it was spooled, or lost: answer 503. */
  saveBody(body: QuarantinedBody, verifyGates: boolean): Promise<void>;
  /**
   * Catches up: prepares the store, replays, and shuts gates for what was lost. Rejects while the store is away.
   * @returns whether this receiver now keeps nothing back
   */
  catchUp(): Promise<boolean>;
  /** Whether it keeps nothing back: the store is prepared, nothing is spooled or lost, and no commit is late. */
  isWhole(): boolean;
  /** Waits for the store no longer: what is under way is spooled, since this process ends. */
  hurry(): void;
}

export interface RecorderOptions {
  readonly spool: Spool;
  readonly commit: (batch: readonly IntakeItem[]) => Promise<readonly DeliveryOutcome[]>;
  readonly saveBody: SaveQuarantined;
  readonly keeper: Keeper;
  readonly replayer: () => Promise<void>;
  readonly prepare: () => Promise<void>;
  /** Whether that has been done. */
  readonly prepared: boolean;
  /** Has every gate held until this receiver beats: it keeps something back. */
  readonly expect: () => Promise<void>;
  /** Resolves when the store answers. */
  readonly reach: () => Promise<void>;
  readonly shutAllGates: () => Promise<{ readonly services: readonly string[]; readonly verifyDue: readonly Date[] }>;
  readonly announce: (effects: CommitEffects) => void;
  readonly log: Log;
}

/** A database that accepts a commit and never answers must not hold senders for ever. */
const COMMIT_DEADLINE_MS = 10_000;
const REACH_DEADLINE_MS = 2000;
/** A commit that takes longer may hold a Disconnected back that nobody else knows of. */
const LATE_COMMIT_MS = 3000;

interface RecorderState {
  readonly options: RecorderOptions;
  readonly hurrying: AbortController;
  prepared: boolean;
  replaying: Promise<void> | null;
  /** When the commit under way began, by a clock that never goes back. */
  commitSinceMs: number | null;
}

/** Makes the recorder. Nothing is recorded before the store is prepared. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { keeper, prepared } = options;
  const hurrying = new AbortController();
  const state: RecorderState = { options, hurrying, prepared, replaying: null, commitSinceMs: null };
  return {
    async commit(batch) {
      state.commitSinceMs = performance.now();
      try {
        return await recordOr(
          state,
          () => options.commit(batch),
          () => keeper.keep(batch),
        );
      } finally {
        state.commitSinceMs = null;
      }
    },
    async refuse(item) {
      await keeper.keep([item]);
      throw overloaded();
    },
    saveBody: (body, verifyGates) =>
      recordOr(
        state,
        () => options.saveBody(body, verifyGates),
        () => keeper.keepBody(body, verifyGates),
      ),
    catchUp: () => catchUp(state),
    isWhole: () => isWhole(state),
    hurry: () => hurrying.abort(),
  };
}

async function recordOr<T>(state: RecorderState, record: () => Promise<T>, keep: () => Promise<void>): Promise<T> {
  const { spool, log } = state.options;
  const direct = (state.prepared && spool.isEmpty()) || (await isEmptySoon(state));
  try {
    if (!direct) throw storeAway();
    return await withDeadline(record(), COMMIT_DEADLINE_MS, state.hurrying.signal);
  } catch (error) {
    if (direct) log.warn('store.unavailable', { operation: 'record', code: errorCode(error) });
    await keep();
    throw error;
  }
}

/** What comes while the last of the spool is being replayed waits for that; while the store is away nothing waits. */
async function isEmptySoon({ options: { spool }, prepared, replaying, hurrying }: RecorderState): Promise<boolean> {
  if (!prepared || replaying === null || spool.isGrowing()) return false;
  await withDeadline(replaying, COMMIT_DEADLINE_MS, hurrying.signal).catch(() => undefined);
  return spool.isEmpty();
}

function isWhole({ options: { spool }, prepared, commitSinceMs }: RecorderState): boolean {
  const late = commitSinceMs !== null && performance.now() - commitSinceMs >= LATE_COMMIT_MS;
  return prepared && spool.isEmpty() && !spool.lost() && !late;
}

async function catchUp(state: RecorderState): Promise<boolean> {
  const { options } = state;
  const { spool, prepare, reach } = options;
  if (!state.prepared) await prepare();
  else if (!spool.isEmpty() || spool.lost()) await withDeadline(reach(), REACH_DEADLINE_MS);
  state.prepared = true;
  if (!spool.isEmpty() || spool.lost()) await withDeadline(options.expect(), REACH_DEADLINE_MS);
  if (!spool.isEmpty()) await replay(state);
  if (spool.lost()) await makeUpForLoss(state.options);
  return isWhole(state);
}

async function replay(state: RecorderState): Promise<void> {
  state.replaying = state.options.replayer();
  try {
    await state.replaying;
  } finally {
    state.replaying = null;
  }
}

async function makeUpForLoss({ shutAllGates, announce, spool, log }: RecorderOptions): Promise<void> {
  const losses = spool.losses();
  const { services, verifyDue } = await shutAllGates();
  for (const service of services) log.warn('gate.held', { service, reason: 'receiver_silent' });
  announce({ armedDue: [], verifyDue, shut: [] });
  await spool.clear(losses);
}

function storeAway(): AppError {
  return new AppError({ code: 'store_unavailable', publicMessage: 'The database cannot be reached.', retryable: true });
}

function overloaded(): AppError {
  return new AppError({
    code: 'receiver_overloaded',
    publicMessage: 'Too many deliveries wait to be recorded.',
    retryable: true,
  });
}
