import { randomFillSync } from 'node:crypto';

const POOL = Buffer.allocUnsafe(10 * 256);
let taken = POOL.length;

/** A uuid of version 7 (RFC 9562): time-ordered, so that deliveries are appended to their index rather than scattered in it. */
export function newDeliveryId(nowMs: number): string {
  if (taken === POOL.length) {
    randomFillSync(POOL);
    taken = 0;
  }
  const random = POOL.toString('hex', taken, taken + 10);
  taken += 10;
  const time = nowMs.toString(16).padStart(12, '0');
  const variant = ((Number.parseInt(random.charAt(3), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}
