import type { SourceCount } from '@tidegate/store';

/** What became of a delivery of a known source. */
export type SourceOutcome =
  | 'recorded'
  | 'repeated'
  | 'malformed'
  | 'media_type'
  | 'too_large'
  | 'not_allowed'
  | 'rate_limited'
  | 'refused'
  | 'unavailable';

/** Adds up what is heard of each source, so that the hot path pays for no statement. */
export interface SourceTally {
  /**
   * @param report what the delivery looked like; asked only for the first that was recorded, and for the first that was not
   * understood, since this process started
   */
  note(sourceId: number, outcome: SourceOutcome, report?: () => Readonly<Record<string, unknown>>): void;
  /** Writes down what came since the last time; what could not be written is kept for the next. */
  flush(): Promise<void>;
}

interface Heard {
  outcomes: Partial<Record<SourceOutcome, number>>;
  lastSeenAt: Date;
  firstReport: Readonly<Record<string, unknown>> | null;
  firstRejection: Readonly<Record<string, unknown>> | null;
}

const UNDERSTOOD: ReadonlySet<SourceOutcome> = new Set(['recorded', 'repeated']);

export function createSourceTally(save: (counts: SourceCount[]) => Promise<void>, now: () => number): SourceTally {
  let heard = new Map<number, Heard>();
  const reported = { firstReport: new Set<number>(), firstRejection: new Set<number>() };

  function add(sourceId: number, more: Heard): void {
    const before = heard.get(sourceId);
    if (before === undefined) {
      heard.set(sourceId, more);
      return;
    }
    for (const [outcome, count] of Object.entries(more.outcomes) as [SourceOutcome, number][])
      before.outcomes[outcome] = (before.outcomes[outcome] ?? 0) + count;
    if (more.lastSeenAt > before.lastSeenAt) before.lastSeenAt = more.lastSeenAt;
    before.firstReport ??= more.firstReport;
    before.firstRejection ??= more.firstRejection;
  }

  return {
    note(sourceId, outcome, report) {
      const kind = UNDERSTOOD.has(outcome) ? 'firstReport' : 'firstRejection';
      const isFirst = report !== undefined && !reported[kind].has(sourceId);
      if (isFirst) reported[kind].add(sourceId);
      add(sourceId, {
        outcomes: { [outcome]: 1 },
        lastSeenAt: new Date(now()),
        firstReport: null,
        firstRejection: null,
        ...(isFirst && { [kind]: report() }),
      });
    },
    async flush() {
      const taken = heard;
      heard = new Map();
      if (taken.size === 0) return;
      try {
        await save([...taken].map(([sourceId, row]) => ({ sourceId, ...row, outcomes: { ...row.outcomes } })));
      } catch (error) {
        for (const [sourceId, row] of taken) add(sourceId, row);
        throw error;
      }
    },
  };
}
