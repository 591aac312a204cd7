/** What one piece of work under way, or about to be, takes its place for. */
export interface PlaceHolder {
  readonly serviceId: number;
  readonly origin: string;
}

/** How many more places may be taken now. */
export interface PlaceShares {
  /** In all, in one round: never every place that is free, so that a round that is sent to the wrong ones leaves some. */
  readonly total: number;
  /** By work of one destination, whatever its service. */
  ofOrigin(origin: string): number;
  /** By work of one service, whatever its destination. */
  ofService(serviceId: number): number;
}

/**
 * Shares the places of one worker. A destination may take another place while twice what it holds is less than what is free, a
 * service while what it holds is less than twice what is free: so one that hangs comes to a third of all, a service that has
 * many of those to two thirds, and the more of them hang, the less each gets. A newcomer finds a place while any is free. Pure.
 * @param places of the worker
 * @param held one for each that is taken
 */
export function sharePlaces(places: number, held: readonly PlaceHolder[]): PlaceShares {
  const free = Math.max(0, places - held.length);
  const byOrigin = new Map<string, number>();
  const byService = new Map<number, number>();
  for (const { origin, serviceId } of held) {
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + 1);
    byService.set(serviceId, (byService.get(serviceId) ?? 0) + 1);
  }
  // The nth more is taken while a × (held + n - 1) < b × (free - (n - 1)), each a, b being 2, 1 or 1, 2: both sum to 3.
  const more = (leeway: number) => Math.max(0, Math.ceil(leeway / 3));
  return {
    total: Math.ceil(free / 2),
    ofOrigin: (origin) => more(free - 2 * (byOrigin.get(origin) ?? 0)),
    ofService: (serviceId) => more(2 * free - (byService.get(serviceId) ?? 0)),
  };
}
