/** Thresholds a service's owner chose; every duration in milliseconds. */
export interface Policy {
  readonly openAfterMs: number;
  readonly maxWaitMs: number;
  readonly reopenWithinMs: number;
  readonly flap: { readonly windowMs: number; readonly opensAt: number; readonly settlesAt: number };
  readonly verify: {
    readonly passes: number;
    readonly everyMs: number;
    readonly timeoutMs: number;
    readonly edgeTimeoutMs: number;
    readonly recheckEveryMs: number;
  };
  readonly release: { readonly canary: number; readonly maxPerSecond: number; readonly retry: RetryPolicy };
}

/** Bounds of one retried operation (I9): attempts and elapsed time, both counted in Postgres. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly maxElapsedMs: number;
}
