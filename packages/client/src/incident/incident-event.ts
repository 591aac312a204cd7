import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

/** Names of events are two words; later versions may know more of them, so a reader passes over one it does not know. */
const eventNameSchema = z.string().regex(/^[a-z_]+\.[a-z_]+$/);

/** One message of `GET /v1/incidents/events`: what happened to an incident, a gate, or a callback that needs a person. */
export const incidentEventSchema = z.object({
  /** Counted up by one for each event there is, so a reader that may see all of them sees no gap. Also the id of the message. */
  number: z.int().positive(),
  event: eventNameSchema,
  at: instantSchema,
  /** The incident it belongs to, if one is open. */
  incident: z.string().nullable(),
  /** The one service it is about; null when it is about an incident as a whole. */
  service: serviceNameSchema.nullable(),
  /** All services it concerns, as far as the key may see them. */
  services: z.array(serviceNameSchema),
  callback: z.string().nullable(),
  /** Why a gate is as it is, or the state of a callback. */
  reason: codeSchema.nullable(),
  /** The same in one sentence, for people. */
  why: z.string(),
});
export type IncidentEvent = z.output<typeof incidentEventSchema>;

/** The message `ready`, which comes first: everything after this number follows. */
export const eventsReadySchema = z.object({ number: z.int().nonnegative() });
export type EventsReady = z.output<typeof eventsReadySchema>;

/**
 * The message `reset`: events that the reader does not know of are no longer kept (`too_old`), or the number it gave is not one of
 * this Tidegate (`unknown`). It has to read the incidents anew; everything after this number follows.
 */
export const eventsResetSchema = z.object({ reason: z.enum(['too_old', 'unknown']), number: z.int().nonnegative() });
export type EventsReset = z.output<typeof eventsResetSchema>;

/** The message `closed`, which comes last: the key is no longer good, or this process ends. Then a reader connects again. */
export const eventsClosedSchema = z.object({ reason: z.enum(['key_refused', 'stopping']) });
export type EventsClosed = z.output<typeof eventsClosedSchema>;
