import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { callbackStateSchema } from '../callback/callback.ts';
import { serviceNameSchema } from '../gate/service-name.ts';
import { reconciliationEntrySchema } from './reconciliation-entry.ts';

/** One sorting of a service's held and in-flight callbacks: of a release, or of attempts that ended unknown. */
export const reconciliationSchema = z.object({
  id: z.string(),
  service: serviceNameSchema,
  /** The gate's generation it was made for. */
  generation: z.int().nonnegative(),
  trigger: z.enum(['release', 'attempt']),
  startedAt: instantSchema,
  /** How many callbacks were found to be so; a status lookup that ends later moves one from `ambiguous`. */
  complete: z.int().nonnegative(),
  notStarted: z.int().nonnegative(),
  ambiguous: z.int().nonnegative(),
});
export type Reconciliation = z.output<typeof reconciliationSchema>;

export const reconciliationPageSchema = pageOf(reconciliationSchema);
export type ReconciliationPage = z.output<typeof reconciliationPageSchema>;

const itemSchema = reconciliationEntrySchema.extend({
  callback: z.string(),
  /** The callback's state now; null once it is pruned. */
  state: callbackStateSchema.nullable(),
});

/** A run with a page of its callbacks, by their id. */
export const reconciliationDetailSchema = reconciliationSchema.extend({
  items: z.array(itemSchema),
  nextCursor: z.string().nullable(),
});
export type ReconciliationDetail = z.output<typeof reconciliationDetailSchema>;
