import { z } from 'zod';
import type { Room } from './alarm.ts';

/** What every job carries: the bucket it fires in (epoch milliseconds), and nothing else (I3). */
const alarmDataSchema = z.strictObject({ dueAtMs: z.number().int().positive() });
export type AlarmData = z.infer<typeof alarmDataSchema>;

export interface JobEntry {
  readonly data: typeof alarmDataSchema;
  /** How often a room is woken again when its handler throws; waits double from `delayMs`, with jitter. */
  readonly retry: { readonly attempts: number; readonly delayMs: number };
}

/** Every job there is. Losing one costs a sweep, so few attempts are enough: the work itself is counted in Postgres. */
export const JOB_CATALOG: Readonly<Record<Room, JobEntry>> = {
  correlate: { data: alarmDataSchema, retry: { attempts: 5, delayMs: 500 } },
  verify: { data: alarmDataSchema, retry: { attempts: 5, delayMs: 500 } },
  release: { data: alarmDataSchema, retry: { attempts: 5, delayMs: 500 } },
  notify: { data: alarmDataSchema, retry: { attempts: 5, delayMs: 500 } },
};
