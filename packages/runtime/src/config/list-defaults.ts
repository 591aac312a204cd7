import { configJsonSchema } from './config-json-schema.ts';
import { formatKeyPath, type KeyPath } from './key-path.ts';

/** A value that nobody wrote. */
export interface DefaultTaken {
  /** As `policies.default.openAfter`. */
  readonly key: string;
  /** As one would write it in the file: `20s`, not milliseconds. */
  readonly value: string | number | boolean | readonly string[];
}

/**
 * The values that are in the parsed config and not in the file. What is absent altogether (no list entry, no optional section)
 * or empty is no default.
 */
export function listDefaults(written: unknown, parsed: unknown, path: KeyPath = []): DefaultTaken[] {
  if (Array.isArray(parsed) && Array.isArray(written)) {
    return parsed.flatMap((item, index) => listDefaults(written[index], item, [...path, index]));
  }
  if (isMap(parsed)) {
    return Object.entries(parsed).flatMap(([key, value]) =>
      listDefaults(isMap(written) ? written[key] : undefined, value, [...path, key]),
    );
  }
  if (written !== undefined || parsed === undefined || (Array.isArray(parsed) && parsed.length === 0)) return [];
  // Durations and periods are numbers by now; the schema has their text.
  const value = typeof parsed === 'number' ? (defaultOf(path) ?? parsed) : parsed;
  return [{ key: formatKeyPath(path), value: value as DefaultTaken['value'] }];
}

let schema: unknown;

function defaultOf(path: KeyPath): unknown {
  schema ??= configJsonSchema();
  const place = path.reduce(stepInto, schema);
  return isMap(place) ? place.default : undefined;
}

/** The part of a JSON Schema that is about one key, or about the entries of a list. */
function stepInto(place: unknown, segment: KeyPath[number]): unknown {
  if (!isMap(place)) return undefined;
  if (typeof segment === 'number') return place.items;
  if (Array.isArray(place.oneOf)) {
    return place.oneOf.map((branch) => stepInto(branch, segment)).find((found) => isMap(found) && 'default' in found);
  }
  return (isMap(place.properties) ? place.properties[segment] : undefined) ?? place.additionalProperties;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
