import type { Room } from './alarm.ts';

/** Woken with the alarm's bucket (epoch milliseconds). What it throws reaches the queue's store as a code only. */
export type AlarmHandler = (dueAtMs: number) => Promise<void>;

/** A failure seen outside any call of ours: its code, and the room where one is concerned. */
export interface QueueFailure {
  readonly code: string;
  readonly room: Room | null;
}

export interface RunningWorker {
  /** Lets running handlers end, for 5 s at most, then frees every connection. */
  close(): Promise<void>;
}

/** A queue store that answered once and is migrated or checked: jobs may be added and workers started. */
export interface OpenBackend {
  addAlarm(room: Room, bucketMs: number, delayMs: number): Promise<void>;
  /** Resolves once the worker's connections are up and it is running. */
  startWorker(room: Room, handler: AlarmHandler, concurrency: number): Promise<RunningWorker>;
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface BackendOptions {
  readonly url: string;
  /** Namespace of our jobs: the Postgres schema, or the prefix of the Redis keys. */
  readonly prefix: string;
  readonly onError: (failure: QueueFailure) => void;
}
