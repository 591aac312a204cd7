import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';

/** A registered Localtonet webhook. Its secret is told to nobody. */
export const sourceSchema = z.object({
  name: z.string().describe('Its name in the config.'),
  group: z.string().describe('Sources of one group are one origin.'),
  timeZone: z.string().describe('The zone that a date without one is read in.'),
  watch: z
    .enum(['linked', 'all'])
    .describe('Whether every device and tunnel opens incidents, or only those that a service depends on.'),
  createdAt: instantSchema.describe('When the config first named it.'),
  lastSeenAt: instantSchema.nullable().describe('When it last delivered anything; null before that.'),
  deliveries: z
    .record(z.string(), z.int().nonnegative())
    .describe('How many deliveries there were, by what became of them.'),
});
export type Source = z.output<typeof sourceSchema>;

export const sourcePageSchema = pageOf(sourceSchema);
export type SourcePage = z.output<typeof sourcePageSchema>;
