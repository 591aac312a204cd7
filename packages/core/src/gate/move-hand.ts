import type { GateReason, GateState } from '../model/gate.ts';

/** What a person decided about a gate: to hold it, or to have it open, whatever verification finds. */
export type Hand = 'held' | 'open';

/** What a person asks for. */
export type HandOrder = 'hold' | 'force_open' | 'release';

export type HandMove =
  | {
      readonly kind: 'moved';
      readonly hand: Hand | null;
      readonly state: GateState;
      readonly reason: GateReason;
      /** Whether verification goes on: not while a person holds the gate, since nothing it found could open it. */
      readonly verify: boolean;
      /** Whether the gate was shut, and callbacks that waited for it may go. */
      readonly opens: boolean;
      /** Whether the gate let callbacks through and no longer does. */
      readonly shuts: boolean;
    }
  | { readonly kind: 'no_hand' };

/**
 * What a person's order does to a gate; each move is made under a new generation, so that no verification begun before can
 * undo it (I6). A hold or a forced opening replaces the one before. Taken back or expired, either leaves the gate held
 * until verification has passed. A gate that is forced open is exempt from I2, for that is its purpose: only another order
 * or its expiry ends it. Source of the rules: DESIGN §3 and §7.
 * @param waiting whether callbacks wait for this gate: then it opens as `releasing`
 */
export function moveHand(
  gate: { readonly state: GateState; readonly hand: Hand | null },
  order: HandOrder,
  waiting: boolean,
): HandMove {
  const isOpen = gate.state === 'open' || gate.state === 'releasing';
  switch (order) {
    case 'hold':
      return shut(isOpen, { hand: 'held', reason: 'held_by_hand', verify: false });
    case 'force_open': {
      const state = waiting || gate.state === 'releasing' ? 'releasing' : 'open';
      const made = { hand: 'open', state, reason: 'forced_open' } as const;
      return { kind: 'moved', ...made, verify: true, opens: !isOpen, shuts: false };
    }
    case 'release':
      if (gate.hand === null) return { kind: 'no_hand' };
      return shut(isOpen, { hand: null, reason: 'hand_released', verify: true });
  }
}

function shut(
  wasOpen: boolean,
  made: { readonly hand: Hand | null; readonly reason: GateReason; readonly verify: boolean },
): HandMove {
  return { kind: 'moved', state: 'held', ...made, opens: false, shuts: wasOpen };
}
