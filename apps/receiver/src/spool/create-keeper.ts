import { errorCode, type Log, type Metrics } from '@tidegate/runtime';
import type { QuarantinedBody } from '@tidegate/store';
import type { IntakeItem } from '../receive/receive-delivery.ts';
import { createCountedLine } from '../record/counted-line.ts';
import { type DeliverySealing, sealDelivery } from './seal-delivery.ts';
import type { Spool } from './spool.ts';
import { encodeRecord } from './spooled-record.ts';

/** Puts into the spool what the store cannot take. What cannot be put there either is marked as lost; it never rejects. */
export interface Keeper {
  keep(items: readonly IntakeItem[]): Promise<void>;
  keepBody(body: QuarantinedBody, verifyGates: boolean): Promise<void>;
}

export interface KeeperOptions extends DeliverySealing {
  readonly spool: Spool;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** Malformed bodies are large and may be sent without end: they leave this much of the cap to deliveries. */
const BODIES_UP_TO_BYTES = 32 * 1024 * 1024;

/** Makes the keeper of a spool. */
export function createKeeper(options: KeeperOptions): Keeper {
  const { spool, sealer, dataKeys, log, metrics } = options;
  const countKept = createCountedLine((count) => log.warn('delivery.spooled', { count }));
  const showSize = () => metrics.set('record.spool_bytes', {}, spool.bytes());
  showSize();
  const noteLoss = (count: number, code: string) => {
    metrics.count('record.lost', {}, count);
    log.error('spool.lost', { count, code });
  };

  async function append(payloads: readonly Buffer[]): Promise<void> {
    await spool.append(payloads);
    metrics.count('record.spooled', {}, payloads.length);
    countKept(payloads.length);
    showSize();
  }

  return {
    async keep(items) {
      try {
        const records = await Promise.all(items.map((item) => sealDelivery(options, item)));
        await append(records.map(encodeRecord));
      } catch (error) {
        await spool.set();
        noteLoss(items.length, errorCode(error));
      }
    },
    async keepBody(body, verifyGates) {
      try {
        await sealer.ready();
        const record = { kind: 'body', body, verifyGates, dataKeys: dataKeys.listFor([body.sealedBody]) } as const;
        if (spool.bytes() < BODIES_UP_TO_BYTES) return await append([encodeRecord(record)]);
        await spool.set();
        noteLoss(1, 'spool_full');
      } catch (error) {
        await spool.set();
        noteLoss(1, errorCode(error));
      }
    },
  };
}
