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
  id: z.string().describe('Its id, `cb_…`.'),
  service: serviceNameSchema.describe('The service whose gate it waits for.'),
  state: callbackStateSchema.describe(
    'Where it is: `ambiguous` means that nobody knows whether it happened, `needs_review` that a person has to decide.',
  ),
  reason: codeSchema.nullable().describe('Why it is there.'),
  method: z.string().describe('The HTTP method it is sent with.'),
  origin: z.string().describe('Scheme, host and port of the URL; the rest is sealed.'),
  safety: z.enum(['unsafe', 'safe']).describe('Whether it changes anything at its destination.'),
  repeat: z
    .enum(['deduplicated', 'forbidden'])
    .describe('Whether the destination takes a repeat under the same key as the same operation.'),
  attempts: z.int().nonnegative().describe('How many attempts were begun.'),
  createdAt: instantSchema.describe('When it was handed over.'),
  dueAt: instantSchema.nullable().describe('When it is tried next; null while nothing is planned.'),
  finishedAt: instantSchema.nullable().describe('When it ended; null before that.'),
});
export type Callback = z.output<typeof callbackSchema>;

export const callbackPageSchema = pageOf(callbackSchema);
export type CallbackPage = z.output<typeof callbackPageSchema>;

/** The answer to a callback handed over: its present state, with the key it was handed over under. */
export const acceptedCallbackSchema = callbackSchema.extend({
  idempotencyKey: z.string().describe('The key it was handed over under, without quotes.'),
});
export type AcceptedCallback = z.output<typeof acceptedCallbackSchema>;
