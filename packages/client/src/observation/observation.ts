import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';

/** The fact a delivery reported. */
export const observationSchema = z.object({
  id: z
    .string()
    .regex(/^obs_[0-9a-f]{32}$/)
    .describe('The id that the 202 to its delivery gave.'),
  subject: z.string().describe('Alias of the device or tunnel.'),
  name: z.string().nullable().describe('Its name in Localtonet; null while nobody has told it.'),
  type: z.enum(['device', 'tunnel']).describe('What it is.'),
  status: z.enum(['connected', 'disconnected']).describe('What was reported of it.'),
  source: z.string().describe('The source that delivered it first.'),
  actionDate: z.string().nullable().describe('The date as Localtonet sent it; null when it was not one.'),
  trusted: z.boolean().describe('False when the date is missing or too far in the future to be believed.'),
  receivedAt: instantSchema.describe('When it was first received.'),
  deliveries: z.int().positive().describe('How often it was delivered.'),
});
export type Observation = z.output<typeof observationSchema>;

export const observationPageSchema = pageOf(observationSchema);
export type ObservationPage = z.output<typeof observationPageSchema>;
