import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

/** A device or tunnel, known by its alias. */
export const subjectSchema = z.object({
  alias: z.string().describe('What it is called here, `dev_…` or `tun_…`; says nothing of its token or number.'),
  type: z.enum(['device', 'tunnel']).describe('What it is.'),
  group: z.string().describe('The group of the sources that report it.'),
  name: z.string().nullable().describe('Its name in Localtonet; null while nobody has told it.'),
  tunnelId: z.string().nullable().describe('The id of a tunnel in Localtonet, when it is public.'),
  device: z.string().nullable().describe('Alias of the device that a tunnel belongs to.'),
  status: z
    .enum(['connected', 'disconnected'])
    .nullable()
    .describe('What its newest report says; null before any with a usable date.'),
  suspect: z.boolean().describe('A report could not be believed: only a verification clears it.'),
  services: z.array(serviceNameSchema).describe('The services that depend on it.'),
  firstSeenAt: instantSchema.describe('When it was first heard of.'),
  changedAt: instantSchema.nullable().describe('When what is known of it last changed; null before anything was.'),
});
export type Subject = z.output<typeof subjectSchema>;

export const subjectPageSchema = pageOf(subjectSchema);
export type SubjectPage = z.output<typeof subjectPageSchema>;
