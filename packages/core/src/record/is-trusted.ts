const TICKS_PER_MS = 10_000n;

/**
 * Whether an observation's date may move the view: it is dated, and not later than its first receipt plus the skew bound
 * (all in 100 ns ticks since the Unix epoch, or milliseconds). Others only make the subject suspect.
 */
export function isTrusted(ticks: bigint | null, firstReceivedAtMs: number, skewBoundMs: number): boolean {
  return ticks !== null && ticks <= BigInt(firstReceivedAtMs + skewBoundMs) * TICKS_PER_MS;
}
