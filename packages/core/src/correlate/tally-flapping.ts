import type { SubjectTransitions } from './classify-flapping.ts';

/** The worst that was down while a group flapped; a device takes its tunnels with it. */
export type FlapWorst = 'device' | 'tunnel';

/** What was counted of one flapping incident since it began to flap. */
export interface FlapTally {
  /** Changes of whichever subject changed most, look by look. */
  readonly changes: number;
  /** Epoch ms up to which they are counted. */
  readonly countedAt: number;
  /** How many the timeline told last. */
  readonly told: number;
  /** Null while nothing of it was seen down. */
  readonly worst: FlapWorst | null;
}

/** What one look at the group finds. */
export interface FlapLook {
  readonly transitions: readonly SubjectTransitions[];
  /** Aliases of members that are down now. */
  readonly down: readonly string[];
  /** Alias of the device, if the group has one. */
  readonly device: string | null;
}

/**
 * Counts on from `before` (null: it begins to flap now), and says whether that is news: at each doubling, and when it got
 * worse. So an hour of flapping is a few lines, however fast it is. Independent of the order of facts. Source: DESIGN §5.
 */
export function tallyFlapping(
  before: FlapTally | null,
  { transitions, down, device }: FlapLook,
  now: number,
): { readonly tally: FlapTally; readonly news: boolean } {
  const since = before?.countedAt ?? Number.NEGATIVE_INFINITY;
  const fresh = transitions.map(({ alias, at }) => ({
    alias,
    count: at.filter((time) => time > since && time <= now).length,
  }));
  const changes = (before?.changes ?? 0) + Math.max(0, ...fresh.map(({ count }) => count));
  const changed = new Set([...down, ...fresh.filter(({ count }) => count > 0).map(({ alias }) => alias)]);
  const seen = device !== null && changed.has(device) ? 'device' : changed.size > 0 ? 'tunnel' : null;
  const worst = before?.worst === 'device' || seen === null ? (before?.worst ?? null) : seen;
  const worse = before !== null && worst !== before.worst;
  const news = before !== null && (worse || changes >= 2 * Math.max(1, before.told));
  return { tally: { changes, countedAt: now, told: before === null || news ? changes : before.told, worst }, news };
}
