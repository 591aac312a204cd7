import { z } from 'zod';
import { codeSchema } from '../answer/code.ts';
import { instantSchema } from '../answer/instant.ts';
import { pageOf } from '../answer/page.ts';
import { gateSchema } from '../gate/gate.ts';
import { serviceNameSchema } from '../gate/service-name.ts';
import { layerSchema } from '../incident/layer.ts';

/** A service as the config names it, with its gate and how it was last looked at. */
export const serviceSchema = z.object({
  name: serviceNameSchema.describe('Its name in the config.'),
  source: z.string().describe('The source whose webhook tells of it.'),
  group: z.string().describe('The group of that source.'),
  device: z
    .string()
    .nullable()
    .describe('Alias of the device it depends on; null while Localtonet has not told of it.'),
  tunnel: z
    .string()
    .nullable()
    .describe('Alias of the tunnel it depends on; null while Localtonet has not told of it.'),
  policy: z.string().describe('The name of its policy.'),
  probes: z.array(layerSchema).describe('The layers a verification asks, in dependency order.'),
  gate: gateSchema.describe('Its gate now.'),
  lastVerification: z
    .object({
      id: z.string().describe('Its id.'),
      startedAt: instantSchema.describe('When it began.'),
      verdict: codeSchema.describe('What it found, as `healthy` or `device_offline`.'),
      firstBroken: layerSchema.nullable().describe('The first layer that failed, in dependency order.'),
      overtaken: z.boolean().describe('The gate was shut again while it ran, so its result counts for nothing.'),
    })
    .nullable()
    .describe('Null before the first verification.'),
  createdAt: instantSchema.describe('When the config first named it.'),
});
export type Service = z.output<typeof serviceSchema>;

export const servicePageSchema = pageOf(serviceSchema);
export type ServicePage = z.output<typeof servicePageSchema>;
