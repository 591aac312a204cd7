import { cleanField } from '../log/clean-field.ts';
import { SPAN_CATALOG, type SpanName } from './span-catalog.ts';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The attributes of a span as they may leave: those of its catalog entry and of their kind, named `tidegate.<field>`. */
export function cleanAttributes(span: SpanName, fields: Readonly<Record<string, unknown>>): SpanAttributes {
  const cleaned: Record<string, string | number | boolean> = {};
  for (const [name, kind] of Object.entries(SPAN_CATALOG[span])) {
    const value = Object.hasOwn(fields, name) ? cleanField(kind, fields[name]) : undefined;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      cleaned[`tidegate.${name}`] = value;
  }
  return cleaned;
}
