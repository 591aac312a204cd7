import { randomFillSync } from 'node:crypto';

const pool = Buffer.allocUnsafeSlow(12 * 1024);
let used = pool.length;

/**
 * Takes fresh random bytes (at most 1 KiB) from a pool filled by the system's generator, a dozen times cheaper than
 * asking it each time. The answer is a view that the next refill overwrites, so copy it before any `await`; for IVs and
 * public ids only, since the pool keeps what it gave out: a secret asks `randomBytes`.
 */
export function takeRandomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const taken = pool.subarray(used, used + size);
  used += size;
  return taken;
}
