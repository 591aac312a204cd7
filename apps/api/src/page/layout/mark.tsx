/** What a mark says at a glance; the word beside it says the same, so that no colour and no shape stands alone. */
export type MarkKind = 'pass' | 'fail' | 'unknown' | 'skipped' | 'held' | 'busy';

const SHAPES: Record<MarkKind, string> = {
  pass: 'M5 12.5 L10 17.5 L19 7',
  fail: 'M6 6 L18 18 M18 6 L6 18',
  unknown: 'M8.5 9 A3.5 3.5 0 1 1 12 13 L12 14.5 M12 18 L12 18.5',
  skipped: 'M6 12 L18 12',
  held: 'M9 6 L9 18 M15 6 L15 18',
  busy: 'M12 3.5 A8.5 8.5 0 1 1 11.9 3.5 M12 8 L12 12.5 L15 14.5',
};

export function Mark({ kind }: { kind: MarkKind }) {
  return (
    <svg class={`mark mark-${kind}`} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={SHAPES[kind]} />
    </svg>
  );
}

/** A mark with its word. */
export function Badge({ kind, children }: { kind: MarkKind; children: unknown }) {
  return (
    <span class={`badge badge-${kind}`}>
      <Mark kind={kind} />
      <span>{children}</span>
    </span>
  );
}
