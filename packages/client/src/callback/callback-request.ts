import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(9999, 0, 1);

/** An answer of the destination to a status lookup: its status, and text that the body holds. */
const statusAnswerSchema = z.strictObject({
  status: z.int().min(200).max(599).describe('The HTTP status.'),
  bodyIncludes: z.string().min(1).max(1024).optional().describe('Text that the body holds as well.'),
});

/** How to ask the destination, by GET, what became of a callback whose outcome is unknown. */
const statusSchema = z.strictObject({
  url: z.string().describe('What is asked, by GET.'),
  headers: z.record(z.string(), z.string()).default({}).describe('Headers of the question.'),
  complete: statusAnswerSchema.describe('The answer that says it happened.'),
  notFound: statusAnswerSchema.describe('The answer that says it did not.'),
  settleAfter: durationSchema.describe(
    'How long after an attempt "not found" proves nothing, since the request may still be under way.',
  ),
});

/** An outbound HTTP operation that an agent hands over, to be sent when the gate of its service allows it. */
export const callbackRequestSchema = z.strictObject({
  service: serviceNameSchema.describe('The service whose gate it waits for.'),
  url: z.string().describe('Where it is sent: http or https, without a user name or password.'),
  method: z.string().describe('The HTTP method it is sent with.'),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe('Headers to send; those of the connection, `Idempotency-Key` and `webhook-*` are refused.'),
  body: z
    .unknown()
    .default(null)
    .describe('Text is sent as it is; any other JSON value is sent as JSON; null sends no body.'),
  safety: z.enum(['unsafe', 'safe']).describe('Whether it changes anything at its destination.'),
  repeat: z
    .enum(['deduplicated', 'forbidden'])
    .describe('Whether the destination takes a repeat under the same key as the same operation.'),
  status: statusSchema.optional().describe('How to ask the destination what became of it when nobody knows.'),
  orderingKey: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe('Callbacks of one service and key are sent one after the other, in the order they were handed over.'),
  passHeld: z
    .boolean()
    .optional()
    .describe('Sends it although the gate is held, unless a person holds it; only with `safety: "safe"`.'),
  deadline: instantSchema
    .refine((text) => Date.parse(text) >= EARLIEST_MS && Date.parse(text) < LATEST_MS)
    .optional()
    .describe('After this it must not be sent any more.'),
});

/** What an agent writes. */
export type CallbackRequest = z.input<typeof callbackRequestSchema>;
/** What Tidegate reads, defaults filled in. */
export type ParsedCallbackRequest = z.output<typeof callbackRequestSchema>;
