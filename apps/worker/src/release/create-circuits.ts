import {
  type Circuit,
  CLOSED_CIRCUIT,
  type DestinationHealth,
  type PlaceHolder,
  type PlaceShares,
  planCircuit,
  settleCircuit,
} from '@tidegate/core';

/** Circuits of status lookups, by destination of the callbacks they ask about. */
export interface Circuits {
  /** The shares, less what circuits keep back. */
  narrow(shares: PlaceShares, running: readonly PlaceHolder[]): Pick<PlaceShares, 'ofOrigin' | 'ofService'>;
  /** Takes account of what a lookup said of its destination. */
  settle(origin: string, health: DestinationHealth): void;
}

/**
 * Circuits of this worker alone, by the rules of those of attempts but apart from them: a status page that hangs says nothing
 * of the endpoint beside it. They need not outlive the process, since a lookup never does harm.
 * @param nowMs monotonic
 */
export function createCircuits(nowMs: () => number = () => performance.now()): Circuits {
  const circuits = new Map<string, Circuit>();
  const save = (origin: string, circuit: Circuit) =>
    circuit === CLOSED_CIRCUIT ? circuits.delete(origin) : circuits.set(origin, circuit);

  return {
    narrow(shares, running) {
      const ofOrigin = (origin: string) => {
        const before = circuits.get(origin);
        if (before === undefined) return shares.ofOrigin(origin);
        const inFlight = running.filter((holder) => holder.origin === origin).length;
        const { circuit, permits } = planCircuit(before, inFlight, nowMs());
        save(origin, circuit);
        return Math.min(shares.ofOrigin(origin), permits ?? Infinity);
      };
      return { ofOrigin, ofService: shares.ofService };
    },
    settle(origin, health) {
      save(origin, settleCircuit(circuits.get(origin) ?? CLOSED_CIRCUIT, health, nowMs()));
    },
  };
}
