import { randomUUID } from 'node:crypto';
import { type DeliveryRecord, readGates, recordBatch } from '@tidegate/store';
import { countBuffers } from './count-buffers.ts';

const SETTINGS = { skewBoundMs: 120_000, openAfterMs: 20_000, maxWaitMs: 120_000 };
const BATCH = 20;
const TIMES = { single: 200, batch: 15, gate: 200 };

/** Shared buffers that one operation touches. */
export interface OperationBuffers {
  /** A delivery in a commit of its own. */
  readonly single: number;
  /** A delivery among twenty in one commit. */
  readonly batched: number;
  readonly gate: number;
}

export interface Operations {
  readonly url: string;
  readonly sourceId: number;
  readonly subjectIds: readonly number[];
  readonly service: string;
}

/** Runs what the receiver and the api run, and counts; leaves some 500 observations behind. */
export async function countOperations({ url, sourceId, subjectIds, service }: Operations): Promise<OperationBuffers> {
  let told = 0;
  const next = (): DeliveryRecord => {
    told += 1;
    const nowMs = Date.now();
    return {
      deliveryId: idAt(nowMs),
      observationKey: randomUUID(),
      subjectId: subjectIds[told % subjectIds.length] ?? 0,
      sourceId,
      status: told % 2 === 0 ? 'connected' : 'disconnected',
      ticks: BigInt(nowMs) * 10_000n + BigInt(told),
      zone: 'utc',
      actionDate: new Date(nowMs).toISOString(),
      sealedActionDate: null,
      extraFields: null,
      extraUnnamed: 0,
    };
  };
  const single = await countBuffers(url, TIMES.single, (sql) => recordBatch(sql, [next()], SETTINGS));
  const batch = await countBuffers(url, TIMES.batch, (sql) =>
    recordBatch(sql, Array.from({ length: BATCH }, next), SETTINGS),
  );
  const gate = await countBuffers(url, TIMES.gate, (sql) => readGates(sql, [service], 5000));
  return { single, batched: batch / BATCH, gate };
}

/** A delivery id as the receiver makes it at this moment. */
function idAt(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
