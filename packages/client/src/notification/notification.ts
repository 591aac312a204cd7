import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

export const notificationStateSchema = z.enum(['pending', 'sending', 'sent', 'failed', 'superseded']);

/** One notification of the ledger: what was decided to be told to whom, and what became of it. */
export const notificationSchema = z.object({
  id: z.string().describe('Its id.'),
  incident: z.string().nullable().describe('The incident it tells of; null for reviews of callbacks and for tests.'),
  channel: z.string().describe('Name of the channel in the config.'),
  kind: z.enum(['open', 'update', 'needs_review', 'resolve', 'test']).describe('What it tells.'),
  state: notificationStateSchema.describe(
    '`failed` is given up; `superseded` was overtaken by a newer one before it could be delivered.',
  ),
  severity: z.enum(['critical', 'warning', 'info']).describe('How urgent it is.'),
  title: z.string().describe('Its first line, as it was sent.'),
  services: z.array(serviceNameSchema).describe('The services it concerns, as far as the key may see them.'),
  decidedAt: instantSchema.describe('When it was decided to be told.'),
  attempts: z.int().nonnegative().describe('How many attempts were begun.'),
  dueAt: instantSchema.nullable().describe('When the next attempt is due.'),
  endedAt: instantSchema.nullable().describe('When it was delivered, given up or overtaken.'),
  status: z.int().nullable().describe('HTTP status of the last answer.'),
  reason: codeSchema.nullable().describe('What was made of the last attempt.'),
});
export type Notification = z.output<typeof notificationSchema>;

export const notificationPageSchema = pageOf(notificationSchema);
export type NotificationPage = z.output<typeof notificationPageSchema>;
