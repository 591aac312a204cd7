import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

/** A drop that healed within `openAfter`: nobody was paged. */
export const blipSchema = z.object({
  id: z.string(),
  /** The device or tunnel that came and went. */
  group: z.object({ alias: z.string(), name: z.string().nullable() }),
  /** Those that depend on it now, as far as the key may see them. */
  services: z.array(serviceNameSchema),
  firstAt: instantSchema,
  lastAt: instantSchema,
  /** Observations it was made of. */
  observations: z.int().positive(),
  recordedAt: instantSchema,
});
export type Blip = z.output<typeof blipSchema>;

export const blipPageSchema = pageOf(blipSchema);
export type BlipPage = z.output<typeof blipPageSchema>;
