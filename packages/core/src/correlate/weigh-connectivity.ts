import type { ConnectivityStatus } from '../model/subject.ts';

/** What is known of one subject; times in epoch ms by the store's own clock, so that no two clocks are compared. */
export interface ConnectivityFacts {
  /** The view: the greatest dated observation, and when that very observation was first received. Null before any. */
  readonly view: {
    readonly status: ConnectivityStatus;
    readonly knownAt: number;
    /** A passed verification answered this Disconnected. */
    readonly answered: boolean;
  } | null;
  /** A Disconnected without a usable date arrived since a verification last passed. */
  readonly suspectDisconnected: boolean;
  /** What a poll of API v2 found, and when that poll was begun: its answer may be as old as that. */
  readonly poll: { readonly status: ConnectivityStatus; readonly askedAt: number } | null;
}

export interface Connectivity {
  /** Null while nothing is known. */
  readonly status: ConnectivityStatus | null;
  /** Whose word it is; a webhook that says the same comes first. */
  readonly by: 'webhook' | 'poll' | null;
}

/**
 * Weighs what webhooks told against what polls found: what was learnt later wins, and of two things learnt at one moment
 * Disconnected does. A suspect Disconnected stands until a verification passes, whatever a poll says. Polls stay outside
 * the view's fold (DESIGN §4); the SQL function `told_down` says the same. Source of the rule: DESIGN §3 (I13), §6.
 */
export function weighConnectivity({ view, suspectDisconnected, poll }: ConnectivityFacts): Connectivity {
  if (suspectDisconnected) return { status: 'disconnected', by: 'webhook' };
  const told = view === null ? null : view.answered ? 'connected' : view.status;
  if (told === null || view === null) return { status: poll?.status ?? null, by: poll === null ? null : 'poll' };
  if (poll === null || poll.status === told || poll.askedAt < view.knownAt) return { status: told, by: 'webhook' };
  if (poll.askedAt > view.knownAt) return { status: poll.status, by: 'poll' };
  return { status: 'disconnected', by: told === 'disconnected' ? 'webhook' : 'poll' };
}
