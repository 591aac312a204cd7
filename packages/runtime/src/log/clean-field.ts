import type { FieldKind } from './event-catalog.ts';

const LONGEST_NAME = 200;

/** Words of ours joined by `_` (not the prefixes of secrets), names of system errors, signals and methods, SQLSTATEs. */
const CODE = /^(?!tdg_|whsec_)(?:[a-z]{1,24}(?:_[a-z0-9]{1,24}){0,5}|[A-Z][A-Z0-9_]{1,40}|[0-9A-Z]{5})$/;

const VERSION = /^\d{1,4}\.\d{1,4}\.\d{1,6}(?:-[0-9a-z.]{1,24})?$/;

/** Ids and aliases of ours: a short prefix, `_`, then base32 or a uuid. API keys and signing secrets look alike and are kept out. */
const ID = /^(?!tdg_|whsec_)[a-z]{2,5}_[0-9a-z-]{1,64}$/;

/** A route as registered: every changing part is a parameter. */
const ROUTE = /^(?:\/(?::?[A-Za-z][A-Za-z0-9._-]{0,31}|\{[A-Za-z]{1,32}\}|\*)){0,8}\/?$/;

/** Control, bidi, zero-width, surrogate and line-separating characters: they forge lines and colours in a terminal. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** The value as it may be logged, or undefined when it is not of its kind and is dropped. */
export function cleanField(kind: FieldKind, value: unknown): unknown {
  switch (kind) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
    case 'flag':
      return typeof value === 'boolean' ? value : undefined;
    case 'error':
      return value === undefined || value === null ? undefined : { code: errorCode(value) };
    case 'name':
      return typeof value === 'string' ? cleanName(value) : undefined;
    case 'code':
      return matching(CODE, value);
    case 'version':
      return matching(VERSION, value);
    case 'id':
      return matching(ID, value);
    case 'route':
      return matching(ROUTE, value);
  }
}

/** The code of a thrown thing, `unexpected` when it has none; its message and stack are never read. */
export function errorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && CODE.test(code) ? code : 'unexpected';
}

function matching(shape: RegExp, value: unknown): string | undefined {
  return typeof value === 'string' && shape.test(value) ? value : undefined;
}

function cleanName(value: string): string {
  return value.slice(0, LONGEST_NAME).replaceAll(UNPRINTABLE, '');
}
