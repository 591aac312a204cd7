export type IdempotencyKeyResult =
  | { readonly ok: true; readonly key: string }
  | { readonly ok: false; readonly problem: 'missing' | 'malformed' | 'too_long' };

const MAX_LENGTH = 255;
const VISIBLE_ASCII = /^[!-~]+$/;
/** A structured-field string (RFC 8941 §3.3.3): printable ASCII, with `"` and `\` escaped by a backslash. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

/**
 * Reads an `Idempotency-Key` header, quoted (draft-07) or bare; both spellings name the same key, which is sent on
 * bare. 1–255 visible ASCII characters after unquoting. A key may not itself begin with a quote: bare, it would read as
 * a quoted one. Source of the rule: DESIGN §8.
 */
export function parseIdempotencyKey(header: string | null | undefined): IdempotencyKeyResult {
  const text = header?.trim() ?? '';
  if (text === '') return { ok: false, problem: 'missing' };
  const key = text.startsWith('"') ? unquote(text) : text;
  if (key === null || key.startsWith('"') || !VISIBLE_ASCII.test(key)) return { ok: false, problem: 'malformed' };
  return key.length > MAX_LENGTH ? { ok: false, problem: 'too_long' } : { ok: true, key };
}

function unquote(text: string): string | null {
  const inner = QUOTED.exec(text)?.[1];
  return inner === undefined ? null : inner.replace(/\\(["\\])/g, '$1');
}
