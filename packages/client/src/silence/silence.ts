import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { reasonSchema } from '../hand/gate-order.ts';

/** Pages about one service, about one device or tunnel, or all. */
const silenceScopeSchema = z.enum(['service', 'group', 'all']);

/** To mute pages: what, why, and for how long. `target` is a service name or an alias; absent for all. */
export const silenceRequestSchema = z.strictObject({
  scope: silenceScopeSchema,
  target: z.string().min(1).max(64).optional(),
  reason: reasonSchema,
  for: durationSchema,
});
export type SilenceRequest = z.output<typeof silenceRequestSchema>;

/** A silence. It mutes pages and nothing else. */
export const silenceSchema = z.object({
  id: z.string(),
  scope: silenceScopeSchema,
  target: z.string().nullable(),
  actor: z.string(),
  reason: z.string(),
  createdAt: instantSchema,
  expiresAt: instantSchema,
  /** When somebody ended it before its time. */
  endedAt: instantSchema.nullable(),
  /** Whether it mutes now. */
  live: z.boolean(),
});
export type Silence = z.output<typeof silenceSchema>;

export const silencePageSchema = pageOf(silenceSchema);
export type SilencePage = z.output<typeof silencePageSchema>;
