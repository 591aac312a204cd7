import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { gateSchema } from '../gate/gate.ts';
import { serviceNameSchema } from '../gate/service-name.ts';
import { layerSchema } from '../incident/layer.ts';

/** A service as the config names it, with its gate and how it was last looked at. */
export const serviceSchema = z.object({
  name: serviceNameSchema,
  source: z.string(),
  group: z.string(),
  /** Aliases of what it depends on; null while Localtonet has not told of them. */
  device: z.string().nullable(),
  tunnel: z.string().nullable(),
  policy: z.string(),
  /** The layers a verification asks, in dependency order. */
  probes: z.array(layerSchema),
  gate: gateSchema,
  /** Null before the first verification. */
  lastVerification: z
    .object({
      id: z.string(),
      startedAt: instantSchema,
      verdict: codeSchema,
      firstBroken: layerSchema.nullable(),
      overtaken: z.boolean(),
    })
    .nullable(),
  createdAt: instantSchema,
});
export type Service = z.output<typeof serviceSchema>;

export const servicePageSchema = pageOf(serviceSchema);
export type ServicePage = z.output<typeof servicePageSchema>;
