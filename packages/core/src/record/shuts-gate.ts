import type { ConnectivityStatus } from '../model/subject.ts';

const TICKS_PER_MS = 10_000n;

export interface ShuttingEvidence {
  readonly status: ConnectivityStatus;
  readonly ticks: bigint | null;
  readonly zone: 'utc' | 'offset' | 'assumed' | null;
}

/**
 * Whether a delivery shuts a gate. Every Disconnected does, in any state, first or repeated; the one exemption is a date
 * with an explicit zone that lies more than the skew bound before the start of the verification that opened the gate.
 * @param openedByStartedAtMs start of that verification; null while the gate is not open
 */
export function shutsGate(
  delivery: ShuttingEvidence,
  openedByStartedAtMs: number | null,
  skewBoundMs: number,
): boolean {
  if (delivery.status !== 'disconnected') return false;
  if (openedByStartedAtMs === null || delivery.ticks === null) return true;
  if (delivery.zone !== 'utc' && delivery.zone !== 'offset') return true;
  return delivery.ticks + BigInt(skewBoundMs) * TICKS_PER_MS >= BigInt(openedByStartedAtMs) * TICKS_PER_MS;
}
