import type { Queue } from '@tidegate/queue';
import { type QuarantinedBody, quarantineBody, recheckSourceGates, type Sql } from '@tidegate/store';
import { createAlarmSetter } from '../record/alarm-setter.ts';
import type { QuarantineOptions } from './quarantine.ts';

/** A source's own 16 KiB bodies fit 1,000 times into 16 MiB; four such sources fill the whole. */
const CAPS = { rowsPerSource: 1000, totalBytes: 64 * 1024 * 1024 };

/** Stores a sealed body and, if told to, makes the gates of its source due. Rejects as the store does. */
export type SaveQuarantined = (body: QuarantinedBody, verifyGates: boolean) => Promise<void>;

/** Stores bodies under the caps, makes gates due, and wakes the workers for what became so. */
export function saveQuarantined(sql: Sql, queue: Queue): Pick<QuarantineOptions, 'save' | 'verifyGates'> {
  const setAlarms = createAlarmSetter(queue, Date.now);
  return {
    async save(body: QuarantinedBody, verifyGates: boolean) {
      setAlarms('verify', await quarantineBody(sql, body, CAPS, verifyGates));
    },
    async verifyGates(sourceId: number) {
      setAlarms('verify', await recheckSourceGates(sql, sourceId));
    },
  };
}
