import type { GateWithHand } from '@tidegate/store';

/** Which order of a person stands at a gate, for a form that takes it back; empty when none does. */
export function nameOrder(gate: Pick<GateWithHand, 'hand' | 'handExpiresAt'> | undefined): string {
  return gate === undefined || gate.hand === null ? '' : `${gate.hand} ${gate.handExpiresAt?.toISOString() ?? ''}`;
}
