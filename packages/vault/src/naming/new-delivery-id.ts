import { randomFillSync } from 'node:crypto';

const RANDOM_BYTES = 10;
const POOL = Buffer.allocUnsafe(RANDOM_BYTES * 256);
let taken = POOL.length;
let prefixMs = -1;
let prefix = '';

/** A uuid of version 7 (RFC 9562): time-ordered, so that deliveries are appended to their index rather than scattered in it. */
export function newDeliveryId(nowMs: number): string {
  if (taken === POOL.length) {
    randomFillSync(POOL);
    taken = 0;
  }
  // The two bits of the variant are the first of the second group of random bytes.
  POOL[taken + 2] = ((POOL[taken + 2] ?? 0) & 0x3f) | 0x80;
  const random = POOL.toString('hex', taken, taken + RANDOM_BYTES);
  taken += RANDOM_BYTES;
  if (nowMs !== prefixMs) {
    const time = nowMs.toString(16).padStart(12, '0');
    prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
    prefixMs = nowMs;
  }
  return `${prefix}${random.slice(0, 3)}-${random.slice(4, 8)}-${random.slice(8)}`;
}

/** When a delivery was received, by the clock of its receiver: milliseconds since the epoch, as its id says. */
export function receivedAtMs(deliveryId: string): number {
  return Number.parseInt(deliveryId.replace('-', '').slice(0, 12), 16);
}
