import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

/** A device or tunnel, known by its alias. */
export const subjectSchema = z.object({
  alias: z.string(),
  type: z.enum(['device', 'tunnel']),
  group: z.string(),
  name: z.string().nullable(),
  /** The id of a tunnel in Localtonet, when it is public. */
  tunnelId: z.string().nullable(),
  /** Alias of the device that a tunnel belongs to. */
  device: z.string().nullable(),
  /** Null before any report with a usable date. */
  status: z.enum(['connected', 'disconnected']).nullable(),
  /** A report could not be believed: only a verification clears it. */
  suspect: z.boolean(),
  /** The services that depend on it. */
  services: z.array(serviceNameSchema),
  firstSeenAt: instantSchema,
  changedAt: instantSchema.nullable(),
});
export type Subject = z.output<typeof subjectSchema>;

export const subjectPageSchema = pageOf(subjectSchema);
export type SubjectPage = z.output<typeof subjectPageSchema>;
