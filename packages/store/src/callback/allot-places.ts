import type { PlaceShares } from '@tidegate/core';
import type { Candidate } from './find-candidates.ts';
import { type Pair, pairKey } from './pace.ts';
import type { Grants } from './plan-grants.ts';

export interface Places extends Pick<Grants, 'permits' | 'lastBegunMs'> {
  readonly limit: number;
  /** How many each destination and each service may begin at this worker; absent: as many as it likes. */
  readonly shares?: Pick<PlaceShares, 'ofOrigin' | 'ofService'> | undefined;
}

/**
 * Gives places to candidates in their order. The few permits of a destination that is tried out go first to the service that
 * has not sent there for longest, whatever the others have waiting.
 * @returns the ids of those that begin
 */
export function allotPlaces(
  candidates: readonly Candidate[],
  { limit, permits, lastBegunMs, shares }: Places,
): string[] {
  const origins = new Map<string, number>();
  const services = new Map<number, number>();
  const take = ({ serviceId, origin }: Pair): boolean => {
    const ofOrigin = Math.min(permits.get(origin) ?? Infinity, shares?.ofOrigin(origin) ?? Infinity);
    const [inOrigin, inService] = [origins.get(origin) ?? 0, services.get(serviceId) ?? 0];
    if (inOrigin >= ofOrigin || inService >= (shares?.ofService(serviceId) ?? Infinity)) return false;
    origins.set(origin, inOrigin + 1);
    services.set(serviceId, inService + 1);
    return true;
  };
  const lastMs = (pair: Pair) => lastBegunMs.get(pairKey(pair)) ?? 0;
  const scarce = candidates.filter(({ origin }) => permits.has(origin)).sort((a, b) => lastMs(a) - lastMs(b));
  const permitted = new Set(scarce.filter(take).map(({ id }) => id));
  const taken = candidates.filter((one) => (permits.has(one.origin) ? permitted.has(one.id) : take(one)));
  return taken.slice(0, limit).map(({ id }) => id);
}
