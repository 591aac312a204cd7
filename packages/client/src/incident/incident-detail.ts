import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { incidentSchema } from './incident.ts';
import { verificationSchema } from './verification.ts';

const count = z.int().nonnegative();

/** An incident with what happened, what was tried, and what waits. */
export const incidentDetailSchema = incidentSchema.extend({
  /** The verification that ended it. */
  resolvedBy: z.string().nullable(),
  /** The incident that took it over. */
  mergedInto: z.string().nullable(),
  timeline: z.array(z.object({ at: instantSchema, event: z.string(), why: z.string() })),
  /** Newest first, 50 at most. */
  verifications: z.array(verificationSchema),
  /** Of one that flaps or did: changes so far, and the worst that was disconnected meanwhile; null for any other. */
  flapping: z.object({ changes: count, worst: z.enum(['device', 'tunnel']).nullable() }).nullable(),
  /** Callbacks of its services, by what they need; null when the key may not see every service of the incident. */
  callbacks: z.object({ held: count, ambiguous: count, needsReview: count, delivered: count }).nullable(),
});
export type IncidentDetail = z.output<typeof incidentDetailSchema>;
