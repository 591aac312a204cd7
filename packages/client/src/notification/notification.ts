import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

export const notificationStateSchema = z.enum(['pending', 'sending', 'sent', 'failed', 'superseded']);

/** One notification of the ledger: what was decided to be told to whom, and what became of it. */
export const notificationSchema = z.object({
  id: z.string(),
  /** Null for reviews of callbacks and for tests. */
  incident: z.string().nullable(),
  /** Name of the channel in the config. */
  channel: z.string(),
  kind: z.enum(['open', 'update', 'needs_review', 'resolve', 'test']),
  /** `failed` is given up; `superseded` was overtaken by a newer one before it could be delivered. */
  state: notificationStateSchema,
  severity: z.enum(['critical', 'warning', 'info']),
  title: z.string(),
  services: z.array(serviceNameSchema),
  decidedAt: instantSchema,
  attempts: z.int().nonnegative(),
  /** When the next attempt is due. */
  dueAt: instantSchema.nullable(),
  endedAt: instantSchema.nullable(),
  /** Status of the last answer, and what was made of it. */
  status: z.int().nullable(),
  reason: codeSchema.nullable(),
});
export type Notification = z.output<typeof notificationSchema>;

export const notificationPageSchema = pageOf(notificationSchema);
export type NotificationPage = z.output<typeof notificationPageSchema>;
