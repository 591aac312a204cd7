import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';

/** The fact a delivery reported. */
export const observationSchema = z.object({
  /** The id that the delivery's 202 gave. */
  id: z.string().regex(/^obs_[0-9a-f]{32}$/),
  /** Alias of the device or tunnel. */
  subject: z.string(),
  name: z.string().nullable(),
  type: z.enum(['device', 'tunnel']),
  status: z.enum(['connected', 'disconnected']),
  source: z.string(),
  /** The date as Localtonet sent it; null when it was not one. */
  actionDate: z.string().nullable(),
  /** False when the date is missing or too far in the future to be believed. */
  trusted: z.boolean(),
  receivedAt: instantSchema,
  /** How often it was delivered. */
  deliveries: z.int().positive(),
});
export type Observation = z.output<typeof observationSchema>;

export const observationPageSchema = pageOf(observationSchema);
export type ObservationPage = z.output<typeof observationPageSchema>;
