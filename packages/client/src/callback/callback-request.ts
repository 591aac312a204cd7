import { z } from 'zod';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from '../gate/service-name.ts';

const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(9999, 0, 1);

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
  /** How to ask the destination what became of it. Not supported yet. */
  status: z.unknown().optional(),
  /** Callbacks of one key are sent in order. Not supported yet. */
  orderingKey: z.unknown().optional(),
  /** After this it must not be sent any more. */
  deadline: instantSchema.refine((text) => Date.parse(text) >= EARLIEST_MS && Date.parse(text) < LATEST_MS).optional(),
});

/** What an agent writes. */
export type CallbackRequest = z.input<typeof callbackRequestSchema>;
/** What Tidegate reads, defaults filled in. */
export type ParsedCallbackRequest = z.output<typeof callbackRequestSchema>;
