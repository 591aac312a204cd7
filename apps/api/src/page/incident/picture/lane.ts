/** A stretch of a lane in which one thing was so; shares of the width, from 0 to 1. */
export interface Stretch {
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

/** From when to when the picture reaches, epoch ms. */
export interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Something that became so at a time, and stays so until the next change. */
export interface Change {
  readonly atMs: number;
  readonly kind: string;
}

/** The place of a time in the picture; what lies outside is at its edge. */
export function placeOf(atMs: number, { fromMs, untilMs }: Span): number {
  if (untilMs <= fromMs) return 0;
  return Math.min(1, Math.max(0, (atMs - fromMs) / (untilMs - fromMs)));
}

/**
 * Draws changes, oldest first, as stretches without a gap: each lasts until the next one of another kind. Before the first
 * nothing is known and nothing drawn.
 */
export function drawLane(changes: readonly Change[], span: Span): Stretch[] {
  const stretches: Stretch[] = [];
  const kept = changes.filter(({ kind }, at) => kind !== changes[at - 1]?.kind);
  for (const [at, { atMs, kind }] of kept.entries()) {
    const next = kept[at + 1];
    const stretch = { kind, from: placeOf(atMs, span), to: next === undefined ? 1 : placeOf(next.atMs, span) };
    if (stretch.to > stretch.from) stretches.push(stretch);
  }
  return stretches;
}
