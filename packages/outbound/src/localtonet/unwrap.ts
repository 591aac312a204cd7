/** What could be read, and how many entries could not: a device that is missing here may still exist. */
export interface Listing<T> {
  readonly items: readonly T[];
  readonly skipped: number;
}

const WRAPPERS = ['items', 'data', 'result', 'results', 'value', 'tokens', 'authtokens', 'tunnels'];
const DEEPEST_WRAPPER = 3;

/** An object's fields under lower-case names. */
export type Fields = ReadonlyMap<string, unknown>;

/** Reads one entry; null when it lacks what names it. */
export type Read<T> = (entry: Fields) => T | null;

/** Reads a list, bare or wrapped; null when there is none, or when no entry of it can be read. Pure. */
export function readListing<T>(body: unknown, read: Read<T>): Listing<T> | null {
  const list = findList(body, DEEPEST_WRAPPER);
  if (list === null) return null;
  const items = list.map((entry) => readOne(entry, read, 0)).filter((item) => item !== null);
  // All unreadable is a changed format, which must not be taken for an empty account.
  if (items.length === 0 && list.length > 0) return null;
  return { items, skipped: list.length - items.length };
}

function findList(body: unknown, depth: number): readonly unknown[] | null {
  if (Array.isArray(body)) return body;
  for (const inner of depth === 0 ? [] : wrapped(body)) {
    const list = findList(inner, depth - 1);
    if (list !== null) return list;
  }
  return null;
}

/** Reads one object, bare or in up to `depth` wrappers; null when it cannot be read. Pure. */
export function readOne<T>(body: unknown, read: Read<T>, depth = DEEPEST_WRAPPER): T | null {
  const entry = asFields(body);
  const own = entry === null ? null : read(entry);
  if (own !== null || depth === 0) return own;
  for (const inner of wrapped(body)) {
    const found = readOne(inner, read, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

function wrapped(body: unknown): unknown[] {
  const entry = asFields(body);
  return entry === null ? [] : WRAPPERS.filter((name) => entry.has(name)).map((name) => entry.get(name));
}

/**
 * Null for anything but an object. Field names are compared without case: the service is .NET, where casing is a
 * serializer's setting. By hand, since a large account lists a hundred thousand objects.
 */
export function asFields(body: unknown): Fields | null {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(body)) fields.set(name.toLowerCase(), value);
  return fields;
}
