import { formatKeyPath, type KeyPath } from './key-path.ts';

/**
 * Key paths of values that are in the parsed config and not in the file: the defaults taken. What is absent altogether
 * (no list entry, no optional section) is no default.
 */
export function listDefaults(written: unknown, parsed: unknown, path: KeyPath = []): string[] {
  if (Array.isArray(parsed)) {
    return parsed.flatMap((item, index) =>
      listDefaults(Array.isArray(written) ? written[index] : undefined, item, [...path, index]),
    );
  }
  if (isMap(parsed)) {
    return Object.entries(parsed).flatMap(([key, value]) =>
      listDefaults(isMap(written) ? written[key] : undefined, value, [...path, key]),
    );
  }
  return written === undefined && parsed !== undefined ? [formatKeyPath(path)] : [];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
