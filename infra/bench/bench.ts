export interface BenchSettings {
  /** Every server is measured once per round. */
  readonly rounds: number;
  readonly seconds: number;
  /** Where a CPU profile of the main server goes; null for none, since profiling slows it. */
  readonly profileDir: string | null;
}

/** One thing that `pnpm bench <name>` measures. A missed goal is printed, never an exit code: no build depends on a clock. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  readonly run: (settings: BenchSettings, signal: AbortSignal) => Promise<void>;
}
