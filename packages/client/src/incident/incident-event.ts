import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

/** Names of events are two words; later versions may know more of them, so a reader passes over one it does not know. */
const eventNameSchema = z.string().regex(/^[a-z_]+\.[a-z_]+$/);

/** One message of `GET /v1/incidents/events`: what happened to an incident, a gate, or a callback that needs a person. */
export const incidentEventSchema = z.object({
  number: z
    .int()
    .positive()
    .describe(
      'Counted up by one for each event there is, so a reader that may see all of them sees no gap. Also the id of the message.',
    ),
  event: eventNameSchema.describe('Its name; pass over one you do not know.'),
  at: instantSchema.describe('When it happened.'),
  incident: z.string().nullable().describe('The incident it belongs to, if one is open.'),
  service: serviceNameSchema
    .nullable()
    .describe('The one service it is about; null when it is about an incident as a whole.'),
  services: z.array(serviceNameSchema).describe('All services it concerns, as far as the key may see them.'),
  callback: z.string().nullable().describe('The callback it is about.'),
  reason: codeSchema.nullable().describe('Why a gate is as it is, or the state of a callback.'),
  why: z.string().describe('The same in one sentence, for people.'),
});
export type IncidentEvent = z.output<typeof incidentEventSchema>;

/** The message `ready`, which comes first: everything after this number follows. */
export const eventsReadySchema = z.object({
  number: z.int().nonnegative().describe('Everything after this number follows.'),
});
export type EventsReady = z.output<typeof eventsReadySchema>;

/**
 * The message `reset`: events that the reader does not know of are no longer kept (`too_old`), or the number it gave is not one of
 * this Tidegate (`unknown`). It has to read the incidents anew; everything after this number follows.
 */
export const eventsResetSchema = z.object({
  reason: z
    .enum(['too_old', 'unknown'])
    .describe('Whether what was missed is no longer kept, or the number given is not one of this Tidegate.'),
  number: z.int().nonnegative().describe('Everything after this number follows.'),
});
export type EventsReset = z.output<typeof eventsResetSchema>;

/** The message `closed`, which comes last. Unless its key is no longer good, a reader connects again. */
export const eventsClosedSchema = z.object({
  reason: z
    .enum(['key_refused', 'store_unavailable', 'stopping'])
    .describe('Whether the key is no longer good, it could not be looked up for a while, or this process ends.'),
});
export type EventsClosed = z.output<typeof eventsClosedSchema>;
