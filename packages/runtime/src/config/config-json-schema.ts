import { z } from 'zod';
import { configSchema } from './config-schema.ts';

/** JSON Schema (draft 7, what editors read) of `tidegate.yaml`, made from the schema that checks it. */
export function configJsonSchema(): Record<string, unknown> {
  return { ...z.toJSONSchema(configSchema, { io: 'input', target: 'draft-7' }), title: 'tidegate.yaml' };
}
