import type { IncomingHttpHeaders } from 'node:http';

export type HeaderList = Readonly<Record<string, string>>;

// RFC 9110 §5.1 and §5.5; bytes above 0x7f travel as latin1.
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** True when every name and value can stand in an HTTP/1.1 message as it is. */
export function areSendable(headers: HeaderList): boolean {
  return Object.entries(headers).every(([name, value]) => NAME.test(name) && VALUE.test(value));
}

/** Both lists in one; names are compared without case, and `winning` keeps its value. Names come out in lower case. */
export function mergeHeaders(base: HeaderList, winning: HeaderList): Record<string, string> {
  const merged = new Map<string, string>();
  for (const [name, value] of [...Object.entries(base), ...Object.entries(winning)]) {
    merged.set(name.toLowerCase(), value);
  }
  return Object.fromEntries(merged);
}

/** The first value of a received header, or null. */
export function firstHeader(headers: IncomingHttpHeaders, name: string): string | null {
  const value = headers[name];
  const first = Array.isArray(value) ? value[0] : value;
  return first ?? null;
}
