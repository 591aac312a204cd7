const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const BITS_PER_CHAR = 5;

/** RFC 4648 base32 in lower case, without padding: five bits a character, the last one filled up with zero bits. */
export function encodeBase32(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let pendingBits = 0;
  for (const byte of bytes) {
    pending = (pending << 8) | byte;
    pendingBits += 8;
    while (pendingBits >= BITS_PER_CHAR) {
      pendingBits -= BITS_PER_CHAR;
      text += ALPHABET.charAt(pending >>> pendingBits);
      pending &= (1 << pendingBits) - 1;
    }
  }
  return pendingBits === 0 ? text : text + ALPHABET.charAt(pending << (BITS_PER_CHAR - pendingBits));
}
