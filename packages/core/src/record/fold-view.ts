import type { ConnectivityStatus } from '../model/subject.ts';

/** What one observation contributes to its subject's view. */
export interface ViewInput {
  readonly key: string;
  readonly status: ConnectivityStatus;
  /** 100 ns ticks since the Unix epoch; null when undated. */
  readonly ticks: bigint | null;
  readonly trusted: boolean;
}

/** The connectivity view of a subject. */
export interface View {
  readonly latest: { readonly ticks: bigint; readonly status: ConnectivityStatus; readonly key: string } | null;
  /** An untrusted report of each status arrived since a verification last passed. */
  readonly suspectDisconnected: boolean;
  readonly suspectConnected: boolean;
}

export const EMPTY_VIEW: View = { latest: null, suspectDisconnected: false, suspectConnected: false };

/**
 * The view as a fold over the set of observations: the greatest date wins, Disconnected wins ties, the key settles the
 * rest. Associative, commutative and idempotent, so order, repetition and delay cannot change it (I5).
 */
export function foldView(view: View, observation: ViewInput): View {
  if (!observation.trusted || observation.ticks === null) {
    return {
      ...view,
      suspectDisconnected: view.suspectDisconnected || observation.status === 'disconnected',
      suspectConnected: view.suspectConnected || observation.status === 'connected',
    };
  }
  const candidate = { ticks: observation.ticks, status: observation.status, key: observation.key };
  return view.latest === null || supersedes(candidate, view.latest) ? { ...view, latest: candidate } : view;
}

function supersedes(a: NonNullable<View['latest']>, b: NonNullable<View['latest']>): boolean {
  if (a.ticks !== b.ticks) return a.ticks > b.ticks;
  if (a.status !== b.status) return a.status === 'disconnected';
  return a.key > b.key;
}
