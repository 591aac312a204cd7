import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';

/** A registered Localtonet webhook. Its secret is told to nobody. */
export const sourceSchema = z.object({
  name: z.string(),
  group: z.string(),
  /** The zone that a date without one is read in. */
  timeZone: z.string(),
  /** Whether every device and tunnel opens incidents, or only those that a service depends on. */
  watch: z.enum(['linked', 'all']),
  createdAt: instantSchema,
  /** When it last delivered anything; null before that. */
  lastSeenAt: instantSchema.nullable(),
  /** Deliveries by what became of them. */
  deliveries: z.record(z.string(), z.int().nonnegative()),
});
export type Source = z.output<typeof sourceSchema>;

export const sourcePageSchema = pageOf(sourceSchema);
export type SourcePage = z.output<typeof sourcePageSchema>;
