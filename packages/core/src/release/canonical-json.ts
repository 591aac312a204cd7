import { AppError } from '../model/app-error.ts';

const MAX_DEPTH = 128;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * One text per JSON value (RFC 8785): keys sorted by UTF-16 code units, no spaces, shortest numbers. Two payloads are
 * the same operation exactly when these texts are equal (I8). Properties that are `undefined` are left out, as JSON
 * does. Throws AppError `payload_not_canonical` for what JSON cannot hold exactly: NaN, infinities, lone surrogates,
 * other objects, depth > 128.
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return writeString(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== 'object' || depth >= MAX_DEPTH) throw notCanonical();
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(',')}]`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw notCanonical();
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${writeString(key)}:${write(item, depth + 1)}`);
  return `{${members.join(',')}}`;
}

function writeString(text: string): string {
  if (LONE_SURROGATE.test(text)) throw notCanonical();
  return JSON.stringify(text);
}

function notCanonical(): AppError {
  return new AppError({
    code: 'payload_not_canonical',
    publicMessage: 'The payload holds a value that JSON cannot represent exactly.',
  });
}
