import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';

/** How a channel fares. Where it leads is told to nobody. */
export const channelSchema = z.object({
  name: z.string(),
  type: z.string(),
  /** Attempts in a row that failed. */
  failures: z.int().nonnegative(),
  /** Nothing is sent before: it asked for a pause, or could not be reached. */
  pausedUntil: instantSchema.nullable(),
  lastSentAt: instantSchema.nullable(),
  lastFailedAt: instantSchema.nullable(),
  lastReason: codeSchema.nullable(),
  lastStatus: z.int().nullable(),
  /** Notifications that are still to be delivered, and the age of the oldest. */
  waiting: z.int().nonnegative(),
  oldestWaitingMs: z.number().nonnegative().nullable(),
  /** Given up within the last day. */
  givenUp: z.int().nonnegative(),
});
export type Channel = z.output<typeof channelSchema>;

/** There are few: always one page. */
export const channelPageSchema = pageOf(channelSchema);
export type ChannelPage = z.output<typeof channelPageSchema>;
