/** A part of a secret that was found in a sink, and how it was written. */
export interface Finding {
  readonly secret: string;
  readonly sink: string;
  readonly encoding: string;
  readonly offset: number;
}

/** Searches one sink; text is searched as UTF-8. At most one finding per secret and encoding. */
export type Scan = (sink: string, data: Uint8Array | string) => Finding[];

interface Needle {
  readonly secret: string;
  readonly encoding: string;
  readonly bytes: Buffer;
}

/** Shorter parts would be found by chance. */
const SHORTEST_PART = 12;
const KEY_BYTES = 4;

/**
 * Makes a scanner for named secrets. Each is looked for whole and by its halves (so that a truncated one is found too): raw, in
 * UTF-16, hex, percent-encoding, JSON escapes, base64 and base64url, in upper and lower case and at every alignment.
 */
export function createScanner(secrets: Readonly<Record<string, string>>): Scan {
  const needles = Object.entries(secrets).flatMap(([secret, value]) =>
    listParts(value).flatMap((part) =>
      Object.entries(encode(Buffer.from(part))).map(([encoding, bytes]) => ({ secret, encoding, bytes })),
    ),
  );
  const index = indexNeedles(needles);
  return (sink, data) => search(index, sink, typeof data === 'string' ? Buffer.from(data) : Buffer.from(data));
}

function listParts(value: string): string[] {
  if (value.length < SHORTEST_PART) throw new Error('a secret this short would be found by chance');
  const middle = value.length >> 1;
  return value.length < 2 * SHORTEST_PART ? [value] : [value.slice(0, middle), value.slice(middle)];
}

/** Every way to write some bytes that a log, a database or a browser may choose. */
export function encode(bytes: Buffer): Record<string, Buffer> {
  const hex = bytes.toString('hex');
  const text = bytes.toString('utf8');
  const each = (write: (pair: string) => string, upper: boolean) =>
    (upper ? hex.toUpperCase() : hex).replaceAll(/../g, (pair) => write(pair));
  const units = [...Array(text.length).keys()].map((at) => text.charCodeAt(at).toString(16).padStart(4, '0'));
  const written: Record<string, string> = {
    raw: text,
    hex,
    'upper hex': hex.toUpperCase(),
    'spaced hex': each((pair) => `${pair} `, false).trim(),
    'byte escapes': each((pair) => `\\x${pair}`, false),
    percent: each((pair) => `%${pair}`, false),
    'upper percent': each((pair) => `%${pair}`, true),
    'url component': encodeURIComponent(text),
    'form field': new URLSearchParams({ '': text }).toString().slice(1),
    json: JSON.stringify(text).slice(1, -1),
    'json escapes': units.map((unit) => `\\u${unit}`).join(''),
    'upper json escapes': units.map((unit) => `\\u${unit.toUpperCase()}`).join(''),
    'json in json': JSON.stringify(JSON.stringify(text)).slice(3, -3),
  };
  for (const shift of [0, 1, 2]) {
    const aligned = alignBase64(bytes, shift);
    written[`base64 at ${shift}`] = aligned;
    written[`base64url at ${shift}`] = aligned.replaceAll('+', '-').replaceAll('/', '_');
  }
  // Where two writings agree, the plainer one, which comes first, gives the name.
  const unique = new Map(
    Object.entries(written)
      .reverse()
      .map(([name, value]) => [value, name]),
  );
  const encodings = Object.fromEntries([...unique].map(([value, name]) => [name, Buffer.from(value)]));
  return { ...encodings, utf16: Buffer.from(text, 'utf16le') };
}

/** The characters of base64 that depend on these bytes alone when `shift` other bytes come before them. */
function alignBase64(bytes: Buffer, shift: number): string {
  const all = Buffer.concat([Buffer.alloc(shift), bytes])
    .toString('base64')
    .replaceAll('=', '');
  const firstWhole = Math.ceil((shift * 8) / 6);
  const lastWhole = Math.floor(((shift + bytes.length) * 8) / 6);
  return all.slice(firstWhole, lastWhole);
}

interface Index {
  /** One bit per hash of four bytes: most places in a sink are passed over by it. */
  readonly bits: Uint8Array;
  readonly byKey: ReadonlyMap<number, readonly Needle[]>;
}

function indexNeedles(needles: readonly Needle[]): Index {
  const bits = new Uint8Array(1 << 16);
  const byKey = new Map<number, Needle[]>();
  for (const needle of needles) {
    const key = needle.bytes.readUInt32LE(0);
    bits[hashOf(key)] = 1;
    byKey.set(key, [...(byKey.get(key) ?? []), needle]);
  }
  return { bits, byKey };
}

function hashOf(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 16;
}

function search({ bits, byKey }: Index, sink: string, data: Buffer): Finding[] {
  const found = new Map<string, Finding>();
  let key = 0;
  for (let at = 0; at < data.length; at += 1) {
    // The four bytes that end here, as a little-endian number.
    key = (key >>> 8) | ((data[at] ?? 0) << 24);
    if (bits[hashOf(key)] === 0 || at < KEY_BYTES - 1) continue;
    const offset = at - KEY_BYTES + 1;
    for (const { secret, encoding, bytes } of byKey.get(key >>> 0) ?? []) {
      const name = `${secret}\n${encoding}`;
      if (found.has(name) || !data.subarray(offset, offset + bytes.length).equals(bytes)) continue;
      found.set(name, { secret, sink, encoding, offset });
    }
  }
  return [...found.values()];
}
