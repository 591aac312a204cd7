import { z } from 'zod';
import { durationSchema } from '../answer/duration.ts';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(9999, 0, 1);

/** An answer of the destination to a status lookup: its status, and text that the body holds. */
const statusAnswerSchema = z.strictObject({
  status: z.int().min(200).max(599),
  bodyIncludes: z.string().min(1).max(1024).optional(),
});

/** How to ask the destination, by GET, what became of a callback whose outcome is unknown. */
const statusSchema = z.strictObject({
  url: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  /** The answer that says it happened. */
  complete: statusAnswerSchema,
  /** The answer that says it did not. */
  notFound: statusAnswerSchema,
  /** How long after an attempt "not found" proves nothing, since the request may still be under way. */
  settleAfter: durationSchema,
});

/** An outbound HTTP operation that an agent hands over, to be sent when the gate of its service allows it. */
export const callbackRequestSchema = z.strictObject({
  service: serviceNameSchema,
  url: z.string(),
  method: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  /** Text is sent as it is; any other JSON value is sent as JSON; null sends no body. */
  body: z.unknown().default(null),
  /** Whether the operation changes anything at its destination. */
  safety: z.enum(['unsafe', 'safe']),
  /** Whether the destination takes a repeat under the same key as the same operation. */
  repeat: z.enum(['deduplicated', 'forbidden']),
  status: statusSchema.optional(),
  /** Callbacks of one service and key are sent one after the other, in the order they were handed over. */
  orderingKey: z.string().min(1).max(255).optional(),
  /** Sends it although the gate is held, unless a person holds it; only with `safety: "safe"`. */
  passHeld: z.boolean().optional(),
  /** After this it must not be sent any more. */
  deadline: instantSchema.refine((text) => Date.parse(text) >= EARLIEST_MS && Date.parse(text) < LATEST_MS).optional(),
});

/** What an agent writes. */
export type CallbackRequest = z.input<typeof callbackRequestSchema>;
/** What Tidegate reads, defaults filled in. */
export type ParsedCallbackRequest = z.output<typeof callbackRequestSchema>;
