import { serviceNameSchema } from '@tidegate/client';
import { z } from 'zod';

const MS_PER_SECOND = 1000;
const MOST_NAMES = 500;

/** `?wait=30s` (1 to 60 seconds), and the generation that the caller knows of. Waits come out in milliseconds. */
export const gateQuery = z.strictObject({
  wait: z
    .string()
    .regex(/^(?:[1-9]|[1-5][0-9]|60)s$/)
    .transform((text) => Number.parseInt(text, 10) * MS_PER_SECOND)
    .optional(),
  generation: z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,14})$/)
    .transform(Number)
    .optional(),
});

/** `?service=a,b`; all that the key may see when absent. */
export const gatesQuery = z.strictObject({
  service: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(serviceNameSchema).max(MOST_NAMES))
    .optional(),
});
