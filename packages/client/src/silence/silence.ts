import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { reasonSchema } from '../hand/gate-order.ts';

/** Pages about one service, about one device or tunnel, or all. */
const silenceScopeSchema = z.enum(['service', 'group', 'all']);

/** To mute pages: what, why, and for how long. `target` is a service name or an alias; absent for all. */
export const silenceRequestSchema = z.strictObject({
  scope: silenceScopeSchema.describe('Whether it mutes one service, one device or tunnel, or everything.'),
  target: z.string().min(1).max(64).optional().describe('The name of a service, or an alias; absent for `all`.'),
  reason: reasonSchema,
  for: durationSchema.describe('For how long: one number and one unit, as `30m` or `2h`; 24 days at most.'),
});
export type SilenceRequest = z.output<typeof silenceRequestSchema>;

/** A silence. It mutes pages and nothing else. */
export const silenceSchema = z.object({
  id: z.string().describe('Its id, `sil_…`.'),
  scope: silenceScopeSchema.describe('Whether it mutes one service, one device or tunnel, or everything.'),
  target: z.string().nullable().describe('The name of the service, or the alias; null for `all`.'),
  actor: z.string().describe('The name of the key it was made with.'),
  reason: z.string().describe('Why.'),
  createdAt: instantSchema.describe('Since when it mutes.'),
  expiresAt: instantSchema.describe('Until when it mutes, unless it is ended before.'),
  endedAt: instantSchema.nullable().describe('When somebody ended it before its time.'),
  live: z.boolean().describe('Whether it mutes now.'),
});
export type Silence = z.output<typeof silenceSchema>;

export const silencePageSchema = pageOf(silenceSchema);
export type SilencePage = z.output<typeof silencePageSchema>;
