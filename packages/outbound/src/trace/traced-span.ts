/** One span that is over. Names of traces and spans are texts of ours; equal texts are equal ids, in every process. */
export interface TracedSpan {
  /** `record`, `correlate`, … */
  readonly name: string;
  /** What the trace is about, such as the id of an observation. */
  readonly trace: string;
  /** Names this span within its trace. */
  readonly span: string;
  /** Names the span it is part of; null for the root. */
  readonly parent: string | null;
  /** Traces that it belongs with; each link leads to the root of one. */
  readonly links: readonly string[];
  /** Epoch milliseconds. */
  readonly startMs: number;
  readonly endMs: number;
  readonly failed: boolean;
  /** Already cleaned: they are sent as they are. */
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
}
