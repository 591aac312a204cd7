import { isIP } from 'node:net';
import { z } from 'zod';
import { parseDuration, parsePeriod } from './parse-duration.ts';

const SHORTEST_PERIOD_MS = 3_600_000;

/** Text that still holds a reference belongs to another app, which checks it. */
function unlessReference(check: (text: string) => boolean): (text: string) => boolean {
  return (text) => text.includes('${') || check(text);
}

/** Names of sources, groups, services and policies; they appear in URLs and lists. */
export function name() {
  const error = 'must be 1 to 63 letters, digits, ".", "_" or "-", starting with a letter or digit';
  return z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, { error });
}

/** One line of text, `longest` characters at most. */
export function text(longest: number) {
  const error = `must be one line of 1 to ${longest} characters`;
  return z.string().refine((value) => value.length <= longest && /^[^\p{Cc}\u2028\u2029]+$/u.test(value), { error });
}

/** Duration text of `shortestMs` or more; comes out in milliseconds. */
export function duration(shortestMs: 0 | 1 | 1000) {
  const floor = { 0: '', 1: ' above zero', 1000: ' of 1s or more' }[shortestMs];
  const error = `must be a duration${floor}, as 250ms, 20s, 2m or 24h`;
  return z
    .string({ error })
    .refine((value) => (parseDuration(value) ?? -1) >= shortestMs, { error })
    .transform((value) => parseDuration(value) ?? 0)
    .meta({ pattern: String.raw`^\d+(\.\d{1,3})?(ms|s|m|h)$` });
}

/** How long something is kept: days or a duration, an hour at least; comes out in milliseconds. */
export function period() {
  const error = 'must be a period of an hour or more, as 90d or 36h';
  return z
    .string({ error })
    .refine((value) => (parsePeriod(value) ?? 0) >= SHORTEST_PERIOD_MS, { error })
    .transform((value) => parsePeriod(value) ?? 0)
    .meta({ pattern: String.raw`^(\d{1,4}d|\d+(\.\d{1,3})?(ms|s|m|h))$` });
}

/** A whole number from `lowest` to `highest`. */
export function count(lowest: number, highest: number) {
  return z.number().int().min(lowest).max(highest);
}

export function httpUrl() {
  const error = 'must be an http or https URL without user name or password';
  return z.string().refine(unlessReference(isHttpUrl), { error });
}

/** The origin part of an http or https URL: no path, query or trailing slash. */
export function origin() {
  const error = 'must be an origin, as https://hooks.example.org or http://10.0.0.5:8080';
  return z.string().refine((value) => isHttpUrl(value) && new URL(value).origin === value.toLowerCase(), { error });
}

function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) {
    return false;
  }
  const { protocol, username, password } = new URL(value);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

/** `ADDRESS`, `ADDRESS/BITS` and, where a port may be named, `ADDRESS/BITS:PORT`. */
export function network(options: { port: boolean }) {
  const error = options.port
    ? 'must be a network, as 10.0.0.0/8, fd00::/8 or 127.0.0.1/32:9000'
    : 'must be an address or network, as 203.0.113.7 or 10.0.0.0/8';
  return z.string().refine((value) => isNetwork(value, options.port), { error });
}

function isNetwork(value: string, withPort: boolean): boolean {
  const [, address, bits, port] = /^([0-9A-Fa-f.:]+?)(?:\/(\d{1,3})(?::(\d{1,5}))?)?$/.exec(value) ?? [];
  const family = address === undefined ? 0 : isIP(address);
  if (family === 0 || (bits === undefined && withPort) || (port !== undefined && !withPort)) {
    return false;
  }
  return Number(bits ?? 0) <= (family === 4 ? 32 : 128) && Number(port ?? 1) >= 1 && Number(port ?? 1) <= 65_535;
}

export function timeZone() {
  return z.string().refine(isTimeZone, { error: 'must be an IANA time zone, as UTC or Europe/Istanbul' });
}

function isTimeZone(value: string): boolean {
  if (!/^[A-Za-z]/.test(value)) {
    return false;
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return true;
  } catch {
    return false;
  }
}

/** A path secret: fits a URL path as it is, and is too long to guess. */
export function pathSecret() {
  const error = 'must be 16 to 128 letters, digits, "_" or "-"';
  return z.string().refine(
    unlessReference((value) => /^[A-Za-z0-9_-]{16,128}$/.test(value)),
    { error },
  );
}

/** Probe headers: names are HTTP tokens, values one line. */
export function headers() {
  const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/, { error: 'is not an HTTP header name' });
  return z.record(headerName, text(8192));
}

/** One line that is a secret by itself. */
export function secretText(shortest: number, longest: number) {
  const error = `must be one line of ${shortest} to ${longest} characters`;
  const fits = (value: string) => value.length >= shortest && value.length <= longest && /^[!-~]+$/.test(value);
  return z.string().refine(unlessReference(fits), { error });
}

/** A key of Standard Webhooks: base64, with or without its prefix. */
export function signingKey() {
  const error = 'must be base64, 16 characters of it or more, with or without whsec_ before it';
  const base64 = /^(?:whsec_)?(?:[A-Za-z0-9+/]{4}){3,84}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;
  return z.string().refine(
    unlessReference((value) => base64.test(value)),
    { error },
  );
}

/** A host name or an address, without port. */
export function hostName() {
  const error = 'must be a host name or an address, without a port';
  return z.string().refine(
    unlessReference((value) => isIP(value) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/.test(value)),
    { error },
  );
}

/** A bare address; without display name, quotes or comments, so that nothing can be put into a header by it. */
export function emailAddress() {
  const error = 'must be an email address, as oncall@example.org';
  return z.string().refine(
    unlessReference((value) => /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,190}$/.test(value)),
    { error },
  );
}

/** A time of the day; comes out in minutes after midnight. */
export function timeOfDay() {
  const error = 'must be a time of the day, as "09:00"';
  return z
    .string({ error: ({ input }) => (input === undefined ? undefined : error) })
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error })
    .transform((value) => Number(value.slice(0, 2)) * 60 + Number(value.slice(3)));
}
