import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { incidentSchema } from './incident.ts';
import { layerSchema } from './layer.ts';
import { verificationSchema } from './verification.ts';

const count = z.int().nonnegative();

/** An incident with what happened, what was tried, and what waits. */
export const incidentDetailSchema = incidentSchema.extend({
  resolvedBy: z.string().nullable().describe('The verification that ended it.'),
  mergedInto: z.string().nullable().describe('The incident that took it over.'),
  nextStep: z
    .object({
      firstBroken: layerSchema
        .nullable()
        .describe('Where the newest verification of each service breaks first; null where none does.'),
      step: z.string().describe('One sentence.'),
    })
    .nullable()
    .describe('What to do now; null once it is over, and while there is nothing to do but wait.'),
  timeline: z
    .array(
      z.object({
        at: instantSchema.describe('When it happened.'),
        event: z.string().describe('Its name, two words; later versions may know more of them.'),
        why: z.string().describe('The same in one sentence, for people.'),
      }),
    )
    .describe('What happened, first to last.'),
  verifications: z.array(verificationSchema).describe('Newest first, 50 at most.'),
  flapping: z
    .object({
      changes: count.describe('How often the connection changed so far.'),
      worst: z.enum(['device', 'tunnel']).nullable().describe('The worst that was disconnected meanwhile.'),
    })
    .nullable()
    .describe('Of one that flaps, or did; null for any other.'),
  callbacks: z
    .object({
      held: count.describe('Wait for their gate.'),
      ambiguous: count.describe('May have been received; a status lookup is to say.'),
      needsReview: count.describe('Wait for a person.'),
      delivered: count.describe('Were delivered.'),
    })
    .nullable()
    .describe('Callbacks of its services, counted; null when the key may not see every service of the incident.'),
});
export type IncidentDetail = z.output<typeof incidentDetailSchema>;
