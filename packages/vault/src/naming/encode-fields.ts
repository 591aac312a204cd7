const LENGTH_BYTES = 4;
const BYTES_PER_UNIT = 2;
const scratch = Buffer.allocUnsafeSlow(8 * 1024);

/**
 * Encodes fields so that no two lists of fields share an encoding: each field is its byte length (32 bits, big endian)
 * followed by its UTF-16LE code units. UTF-8 would not do, since it maps every lone surrogate to the same three bytes.
 * The answer is a view of a shared buffer: it is valid until the next call, so use it before any `await`.
 */
export function encodeFields(fields: readonly string[]): Buffer {
  let size = 0;
  for (const field of fields) size += LENGTH_BYTES + field.length * BYTES_PER_UNIT;
  const target = size <= scratch.length ? scratch : Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const field of fields) {
    at = target.writeUInt32BE(field.length * BYTES_PER_UNIT, at);
    at += target.write(field, at, 'utf16le');
  }
  return target.subarray(0, size);
}
