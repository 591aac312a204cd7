import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { serviceNameSchema } from '../gate/service-name.ts';
import { layerSchema } from './layer.ts';

/** What one layer answered; `unknown` means that the question could not be put. */
const layerResultSchema = z.object({
  layer: layerSchema.describe('Which layer.'),
  outcome: z
    .enum(['pass', 'fail', 'unknown', 'skipped'])
    .describe('`unknown`: the question could not be put. `skipped`: the config has no probe for it.'),
  reason: codeSchema.describe('Why the outcome is as it is.'),
  latencyMs: z.int().nonnegative().nullable().describe('How long the answer took; null where nothing was asked.'),
  detail: z.string().describe('The same in words, without anything that came from outside.'),
});

/** One run of the six layers in dependency order: for a service, or for the devices and tunnels of an incident without any. */
export const verificationSchema = z.object({
  id: z.string().describe('Its id.'),
  service: serviceNameSchema
    .nullable()
    .describe('Null for a run over the devices and tunnels of an incident without a service.'),
  startedAt: instantSchema.describe('When it began.'),
  verdict: codeSchema.describe('What it found, as `healthy` or `device_offline`.'),
  firstBroken: layerSchema.nullable().describe('The first layer that failed, in dependency order.'),
  runbook: z.string().describe('The next step for a person, as one sentence.'),
  overtaken: z.boolean().describe('The gate was shut again while it ran, so its result counts for nothing.'),
  layers: z.array(layerResultSchema).describe('What each layer answered, in dependency order.'),
});
export type Verification = z.output<typeof verificationSchema>;
