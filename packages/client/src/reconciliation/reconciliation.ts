import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { callbackStateSchema } from '../callback/callback.ts';
import { serviceNameSchema } from '../gate/service-name.ts';
import { reconciliationEntrySchema } from './reconciliation-entry.ts';

/** One sorting of a service's held and in-flight callbacks: of a release, or of attempts that ended unknown. */
export const reconciliationSchema = z.object({
  id: z.string().describe('Its id, `rec_…`.'),
  service: serviceNameSchema.describe('The service whose callbacks were sorted.'),
  generation: z.int().nonnegative().describe('The generation of the gate that it was made for.'),
  trigger: z
    .enum(['release', 'attempt'])
    .describe('A gate that was to be released, or an attempt that ended unknown while it was open.'),
  startedAt: instantSchema.describe('When it began.'),
  complete: z.int().nonnegative().describe('How many callbacks had happened.'),
  notStarted: z.int().nonnegative().describe('How many had never been sent.'),
  ambiguous: z
    .int()
    .nonnegative()
    .describe('Of how many nobody knows; a status lookup that ends later moves one from here.'),
});
export type Reconciliation = z.output<typeof reconciliationSchema>;

export const reconciliationPageSchema = pageOf(reconciliationSchema);
export type ReconciliationPage = z.output<typeof reconciliationPageSchema>;

const itemSchema = reconciliationEntrySchema.extend({
  callback: z.string().describe('The id of the callback.'),
  state: callbackStateSchema.nullable().describe('Its state now; null once it is pruned.'),
});

/** A run with a page of its callbacks, by their id. */
export const reconciliationDetailSchema = reconciliationSchema.extend({
  items: z.array(itemSchema).describe('A page of the callbacks, by their id.'),
  nextCursor: z
    .string()
    .nullable()
    .describe('Give it back as `cursor` for the page after this one; null on the last page.'),
});
export type ReconciliationDetail = z.output<typeof reconciliationDetailSchema>;
