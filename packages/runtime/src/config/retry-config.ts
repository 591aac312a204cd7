/** Bounds of one retried operation: attempts, and the time from the first to the last. */
export interface RetryConfig {
  readonly attempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly maxElapsedMs: number;
}
