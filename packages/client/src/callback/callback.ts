import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

export const callbackStateSchema = z.enum([
  'queued',
  'held',
  'sending',
  'delivered',
  'retrying',
  'ambiguous',
  'needs_review',
  'failed',
  'cancelled',
  'expired',
]);

/** A callback as it may be shown: of its URL the origin only, of its headers, body and key nothing. */
export const callbackSchema = z.object({
  id: z.string(),
  service: serviceNameSchema,
  state: callbackStateSchema,
  reason: codeSchema.nullable(),
  method: z.string(),
  /** Scheme, host and port of the URL. */
  origin: z.string(),
  safety: z.enum(['unsafe', 'safe']),
  repeat: z.enum(['deduplicated', 'forbidden']),
  /** How many attempts were begun. */
  attempts: z.int().nonnegative(),
  createdAt: instantSchema,
  /** When it is tried next; null while nothing is planned. */
  dueAt: instantSchema.nullable(),
  finishedAt: instantSchema.nullable(),
});
export type Callback = z.output<typeof callbackSchema>;

export const callbackPageSchema = pageOf(callbackSchema);
export type CallbackPage = z.output<typeof callbackPageSchema>;

/** The answer to a callback handed over: its present state, with the key it was handed over under. */
export const acceptedCallbackSchema = callbackSchema.extend({ idempotencyKey: z.string() });
export type AcceptedCallback = z.output<typeof acceptedCallbackSchema>;
