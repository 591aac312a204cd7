import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';

/** How a channel fares. Where it leads is told to nobody. */
export const channelSchema = z.object({
  name: z.string().describe('Its name in the config.'),
  type: z.string().describe('Its type, as `slack` or `webhook`.'),
  failures: z.int().nonnegative().describe('How many attempts in a row failed.'),
  pausedUntil: instantSchema
    .nullable()
    .describe('Nothing is sent before: it asked for a pause, or could not be reached.'),
  lastSentAt: instantSchema.nullable().describe('When it last took a notification.'),
  lastFailedAt: instantSchema.nullable().describe('When an attempt last failed.'),
  lastReason: codeSchema.nullable().describe('Why that attempt failed.'),
  lastStatus: z.int().nullable().describe('HTTP status of that attempt.'),
  waiting: z.int().nonnegative().describe('Notifications that are still to be delivered.'),
  oldestWaitingMs: z.number().nonnegative().nullable().describe('Age of the oldest of them, in milliseconds.'),
  givenUp: z.int().nonnegative().describe('Notifications given up within the last day.'),
});
export type Channel = z.output<typeof channelSchema>;

/** There are few: always one page. */
export const channelPageSchema = pageOf(channelSchema);
export type ChannelPage = z.output<typeof channelPageSchema>;
