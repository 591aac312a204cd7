/** How long a bench may take: every target is measured once per round, in turn. */
export interface BenchSettings {
  readonly rounds: number;
  readonly seconds: number;
}

/** One thing that `pnpm bench <name>` measures. A missed goal is printed, never an exit code: clocks do not gate a build. */
export interface Bench {
  readonly name: string;
  readonly about: string;
  readonly run: (settings: BenchSettings, signal: AbortSignal) => Promise<void>;
}
