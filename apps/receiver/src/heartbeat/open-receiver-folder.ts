import { join } from 'node:path';
import { AppError } from '@tidegate/core';
import { ensureSecretFile } from '@tidegate/runtime';
import type { LiveSource } from '@tidegate/store';
import { newId } from '@tidegate/vault';
import { type RememberedSources, rememberSources } from '../source/remembered-sources.ts';
import { lockSpool, type SpoolLock } from '../spool/lock-spool.ts';
import { openSpool, type Spool } from '../spool/spool.ts';

/** What a receiver has of its own in its data folder. */
export interface ReceiverFolder {
  readonly lock: SpoolLock;
  readonly spool: Spool;
  /** Made at the first start of this folder, and the same ever after. */
  readonly receiverId: string;
  readonly sourceMemory: {
    readonly save: RememberedSources['save'];
    /** The sources to start with when the store is away; throws `error` when it is something else, or none are remembered. */
    loadInstead(error: unknown): Promise<LiveSource[]>;
  };
}

/** Opens them, for this process alone. Throws AppError `spool_in_use`. */
export async function openReceiverFolder(dataDir: string): Promise<ReceiverFolder> {
  const lock = await lockSpool(dataDir);
  const dir = join(dataDir, 'spool');
  const spool = await openSpool(dir);
  const { secret: receiverId } = await ensureSecretFile(dataDir, 'receiver-id', () => newId('rcv'));
  const remembered = rememberSources(dir);
  return {
    lock,
    spool,
    receiverId,
    sourceMemory: {
      // Without them a start during an outage has to wait; that is no reason to refuse one now.
      save: (sources) => remembered.save(sources).catch(() => undefined),
      async loadInstead(error) {
        const sources = isAway(error) ? await remembered.load() : null;
        if (sources === null) throw error;
        return sources;
      },
    },
  };
}

function isAway(error: unknown): boolean {
  return error instanceof AppError && error.retryable;
}
