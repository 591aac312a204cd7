import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from '../gate/service-name.ts';
import { layerSchema } from './layer.ts';

/** What one layer answered; `unknown` means that the question could not be put. */
const layerResultSchema = z.object({
  layer: layerSchema,
  outcome: z.enum(['pass', 'fail', 'unknown', 'skipped']),
  reason: codeSchema,
  latencyMs: z.int().nonnegative().nullable(),
  detail: z.string(),
});

/** One run of the six layers in dependency order: for a service, or for the devices and tunnels of an incident without any. */
export const verificationSchema = z.object({
  id: z.string(),
  service: serviceNameSchema.nullable(),
  startedAt: instantSchema,
  verdict: codeSchema,
  firstBroken: layerSchema.nullable(),
  /** The next step for a person, as one sentence. */
  runbook: z.string(),
  /** The gate was shut again while it ran, so its result counts for nothing. */
  overtaken: z.boolean(),
  layers: z.array(layerResultSchema),
});
export type Verification = z.output<typeof verificationSchema>;
