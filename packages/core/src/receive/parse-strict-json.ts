/** Why a body is not acceptable JSON; a fixed code, so it can be shown, counted and logged. */
export type StrictJsonRejection =
  | 'empty'
  | 'bad_utf8'
  | 'byte_order_mark'
  | 'nul'
  | 'syntax'
  | 'too_deep'
  | 'duplicate_key'
  | 'lone_surrogate';

export type StrictJsonResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: StrictJsonRejection };

const WEBHOOK_MAX_DEPTH = 4;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const BYTE_ORDER_MARK = 0xfeff;
const NUL = '\u0000';
const LONE_SURROGATE = /\p{Surrogate}/u;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON body that two parsers can only read in one way: valid UTF-8 without a byte order mark, no NUL and no
 * lone surrogate (raw or escaped), no key twice in one object, at most `maxDepth` nested containers (the outermost is
 * 1). Never throws. The caller caps the size first: cost is linear in it. Source of the rule: DESIGN §4.
 */
export function parseStrictJson(bytes: Uint8Array, maxDepth: number = WEBHOOK_MAX_DEPTH): StrictJsonResult {
  const text = decode(bytes);
  if (text === null) return { ok: false, reason: 'bad_utf8' };
  if (text.length === 0) return { ok: false, reason: 'empty' };
  if (text.charCodeAt(0) === BYTE_ORDER_MARK) return { ok: false, reason: 'byte_order_mark' };

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: text.includes(NUL) ? 'nul' : 'syntax' };
  }
  // Raw NUL is a syntax error and raw surrogates are bad UTF-8, so only an escape can smuggle either in.
  const walk: Walk = { maxDepth, checkStrings: text.includes('\\'), keys: 0 };
  const reason = inspect(value, 0, walk);
  if (reason !== null) return { ok: false, reason };
  if (walk.keys !== countKeys(bytes)) return { ok: false, reason: 'duplicate_key' };
  return { ok: true, value };
}

interface Walk {
  readonly maxDepth: number;
  readonly checkStrings: boolean;
  keys: number;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Checks depth and strings, and counts the keys that survived parsing into `walk`. */
function inspect(value: unknown, depth: number, walk: Walk): StrictJsonRejection | null {
  if (typeof value === 'string') return walk.checkStrings ? inspectString(value) : null;
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= walk.maxDepth) return 'too_deep';
  if (Array.isArray(value)) {
    for (const item of value) {
      const reason = inspect(item, depth + 1, walk);
      if (reason !== null) return reason;
    }
    return null;
  }
  const keys = Object.keys(value);
  walk.keys += keys.length;
  for (const key of keys) {
    const item = (value as Record<string, unknown>)[key];
    const reason = (walk.checkStrings ? inspectString(key) : null) ?? inspect(item, depth + 1, walk);
    if (reason !== null) return reason;
  }
  return null;
}

function inspectString(text: string): StrictJsonRejection | null {
  if (text.includes(NUL)) return 'nul';
  return LONE_SURROGATE.test(text) ? 'lone_surrogate' : null;
}

/**
 * Keys written in valid JSON: one colon outside strings each. JSON.parse keeps the last of two equal keys (dropping the
 * other's subtree), so its value holds fewer keys than the text exactly when one is repeated, however it is escaped.
 */
function countKeys(bytes: Uint8Array): number {
  let keys = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (bytes[at] === COLON) keys += 1;
    else if (bytes[at] === QUOTE) at = endOfString(bytes, at + 1);
  }
  return keys;
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
