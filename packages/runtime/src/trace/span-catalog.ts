import type { FieldKind } from '../log/event-catalog.ts';

/**
 * Every span there is, and the only attributes it may have: the allow-list of I3 for traces, as the event catalog is for log
 * lines. Never a URL, a header, a subject's real id or received text.
 */
export const SPAN_CATALOG = {
  /** From receipt of an observation to its end in the store; a point in time. */
  record: { observation: 'id', group: 'id' },
  /** From receipt to the decision: what debounce waited for is in it. */
  correlate: { observation: 'id', group: 'id', incident: 'id', decision: 'code', kind: 'code', reason: 'code' },
  verify: { observation: 'id', service: 'name', verification: 'id', verdict: 'code', generation: 'number' },
  layer: { layer: 'code', outcome: 'code', reason: 'code' },
  release: {
    observation: 'id',
    service: 'name',
    callback: 'id',
    phase: 'code',
    reason: 'code',
    status: 'number',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldKind>>>>;

export type SpanName = keyof typeof SPAN_CATALOG;
