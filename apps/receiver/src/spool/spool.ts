import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@tidegate/core';
import { createGroupCommitter } from '../record/group-committer.ts';
import { encodeFrame, type ReadFrames, readFrames } from './frames.ts';
import { type LossMark, openLossMark } from './loss-mark.ts';
import { appendTo, listSegments, makeSegment, type OpenSegment, readSegment, type Segment } from './segment.ts';
import { syncFolder } from './sync-folder.ts';

/** Deliveries the store could not take, on disk, in order. */
export interface Spool extends Pick<LossMark, 'lost' | 'set' | 'losses' | 'clear'> {
  /**
   * Resolves when the payloads are on disk; appends at the same time share one fsync.
   * @throws AppError `spool_full` or `spool_failed`, after the loss was marked
   */
  append(payloads: readonly Buffer[]): Promise<void>;
  /** Whether nothing is in it or on its way into it. */
  isEmpty(): boolean;
  /** Whether what comes now would be behind a segment that is not read yet. */
  isGrowing(): boolean;
  bytes(): number;
  /** The oldest segment and what could be read of it; what is appended from now on goes into another. */
  oldest(): Promise<{ readonly segment: Segment; readonly frames: ReadFrames } | null>;
  /** The segment was recorded: it is removed, or if part of it was not, moved aside as `*.damaged` for its owner to keep. */
  finish(segment: Segment, whole: boolean): Promise<void>;
  close(): Promise<void>;
}

export interface SpoolLimits {
  readonly capBytes: number;
  readonly segmentBytes: number;
}

/**
 * The cap: about 80,000 deliveries, more than a mass outage of 5,000 devices told ten times over, and little enough to find
 * room on any disk. A segment is what a replay holds in memory and repeats after a crash.
 */
const LIMITS: SpoolLimits = { capBytes: 64 * 1024 * 1024, segmentBytes: 4 * 1024 * 1024 };
const MOST_APPENDS = 1024;
const MOST_WAITING = 50_000;

/** Opens the spool in a folder (0700), made if it is not there. The caller has locked it. */
export async function openSpool(dir: string, limits: SpoolLimits = LIMITS): Promise<Spool> {
  const fresh = (await mkdir(dir, { recursive: true, mode: 0o700 })) !== undefined;
  await chmod(dir, 0o700);
  if (fresh) await syncFolder(dirname(dir));
  const { segments, newest } = await listSegments(dir);
  const state: SpoolState = {
    dir,
    limits,
    mark: await openLossMark(dir, fresh && segments.length === 0),
    segments,
    active: null,
    newest,
    waiting: 0,
  };
  return describe(state);
}

interface SpoolState {
  readonly dir: string;
  readonly limits: SpoolLimits;
  readonly mark: LossMark;
  /** Oldest first; the last one may be the active one. */
  readonly segments: Segment[];
  active: OpenSegment | null;
  newest: number;
  /** Appends that have not been answered. */
  waiting: number;
}

type Appended = 'kept' | 'full' | 'failed';

function describe(state: SpoolState): Spool {
  const inTurn = createTurns();
  const bytes = () => state.segments.reduce((sum, segment) => sum + segment.bytes, 0);
  const appends = createGroupCommitter<Buffer, Appended>({
    commit: (batch) => inTurn(() => write(state, batch, bytes())),
    maxBatch: MOST_APPENDS,
    maxWaiting: MOST_WAITING,
    onOverload: () => Promise.resolve('full'),
  });
  return {
    ...state.mark,
    bytes,
    isEmpty: () => state.segments.length === 0 && state.waiting === 0,
    isGrowing: () => state.active !== null || state.waiting > 0,
    async append(payloads) {
      state.waiting += 1;
      try {
        const frames = Buffer.concat(payloads.map(encodeFrame));
        const outcome = await appends.submit(frames).catch((): Appended => 'failed');
        if (outcome === 'kept') return;
        await state.mark.set();
        throw failed(outcome === 'full' ? 'spool_full' : 'spool_failed');
      } finally {
        state.waiting -= 1;
      }
    },
    oldest: () =>
      inTurn(async () => {
        const [segment] = state.segments;
        if (segment === undefined) return null;
        if (segment === state.active) await closeActive(state);
        return { segment, frames: readFrames(await readSegment(segment)) };
      }),
    finish: (segment, whole) =>
      inTurn(async () => {
        if (whole) await rm(segment.path, { force: true });
        else await rename(segment.path, `${segment.path}.damaged`);
        // Before the folder is on disk: if that fails the file is gone all the same, and after a crash it is replayed once more.
        state.segments.splice(state.segments.indexOf(segment), 1);
        await syncFolder(state.dir);
      }),
    close: async () => {
      await appends.drained();
      await inTurn(() => closeActive(state));
    },
  };
}

/** Writes what fits, all of it or nothing of each append, with one fsync. */
async function write(state: SpoolState, appends: readonly Buffer[], bytesBefore: number): Promise<Appended[]> {
  let room = state.limits.capBytes - bytesBefore;
  const fits = appends.map(({ length }) => {
    if (length > room) return false;
    room -= length;
    return true;
  });
  const taken = Buffer.concat(appends.filter((_, index) => fits[index]));
  const outcome = taken.length === 0 || (await tryWrite(state, taken)) ? 'kept' : 'failed';
  return fits.map((fit) => (fit ? outcome : 'full'));
}

async function tryWrite(state: SpoolState, bytes: Buffer): Promise<boolean> {
  try {
    state.active ??= await addSegment(state);
    await appendTo(state.active, bytes);
    if (state.active.bytes >= state.limits.segmentBytes) await closeActive(state);
    return true;
  } catch {
    // What the file holds after a failed fsync is not known: nothing is added to it any more.
    await closeActive(state);
    return false;
  }
}

async function addSegment(state: SpoolState): Promise<OpenSegment> {
  state.newest += 1;
  const segment = await makeSegment(state.dir, state.newest);
  state.segments.push(segment);
  return segment;
}

async function closeActive(state: SpoolState): Promise<void> {
  const active = state.active;
  state.active = null;
  await active?.file.close().catch(() => undefined);
}

/** Runs one piece of work after the other. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}

function failed(code: 'spool_full' | 'spool_failed'): AppError {
  const publicMessage =
    code === 'spool_full' ? 'The spool is full.' : 'The disk refused a delivery that the database cannot take.';
  return new AppError({ code, publicMessage, retryable: true });
}
