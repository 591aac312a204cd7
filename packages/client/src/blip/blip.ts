import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

/** A drop that healed within `openAfter`: nobody was paged. */
export const blipSchema = z.object({
  id: z.string().describe('Its id.'),
  group: z
    .object({
      alias: z.string().describe('Alias of the device or tunnel.'),
      name: z.string().nullable().describe('Its name in Localtonet; null while nobody has told it.'),
    })
    .describe('The device or tunnel that came and went.'),
  services: z.array(serviceNameSchema).describe('The services that depend on it now, as far as the key may see them.'),
  firstAt: instantSchema.describe('When its first observation was received.'),
  lastAt: instantSchema.describe('When its last one was.'),
  observations: z.int().positive().describe('How many observations it was made of.'),
  recordedAt: instantSchema.describe('When it was known to be no outage.'),
});
export type Blip = z.output<typeof blipSchema>;

export const blipPageSchema = pageOf(blipSchema);
export type BlipPage = z.output<typeof blipPageSchema>;
