import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GATE_STATES, type GateState } from '../model/gate.ts';
import { decideGate } from './decide-gate.ts';
import { type Hand, type HandOrder, moveHand } from './move-hand.ts';

const ORDERS: readonly HandOrder[] = ['hold', 'force_open', 'release'];
const gates = GATE_STATES.flatMap((state) => ([null, 'held', 'open'] as const).map((hand) => ({ state, hand })));
const cases = gates.flatMap((gate) =>
  ORDERS.flatMap((order) => [true, false].map((waiting) => ({ gate, order, waiting }))),
);
const isOpen = (state: GateState) => state === 'open' || state === 'releasing';

describe('moveHand', () => {
  it('leaves the gate as the hand says: held, open, or to be verified', () => {
    for (const { gate, order, waiting } of cases) {
      const move = moveHand(gate, order, waiting);
      if (move.kind === 'no_hand') {
        expect([order, gate.hand]).toEqual(['release', null]);
        continue;
      }
      const allowed = decideGate(move, { receiversFresh: true, unknown: false }).decision === 'allowed';
      expect(allowed).toBe(order === 'force_open');
      expect(move.hand).toBe({ hold: 'held', force_open: 'open', release: null }[order]);
      expect(move.verify).toBe(order !== 'hold');
    }
  });

  it('says whether the gate opened or shut by it', () => {
    for (const { gate, order, waiting } of cases) {
      const move = moveHand(gate, order, waiting);
      if (move.kind === 'no_hand') continue;
      expect(move.opens).toBe(!isOpen(gate.state) && isOpen(move.state));
      expect(move.shuts).toBe(isOpen(gate.state) && !isOpen(move.state));
    }
  });

  it('lets what waits go through a gate that is forced open, as after a verification', () => {
    for (const gate of gates) {
      expect(moveHand(gate, 'force_open', true)).toMatchObject({ state: 'releasing' });
      const state = gate.state === 'releasing' ? 'releasing' : 'open';
      expect(moveHand(gate, 'force_open', false)).toMatchObject({ state });
    }
  });

  it('ends every history that ends with a release in a gate no hand is on, and never in an open one', () => {
    fc.assert(
      fc.property(fc.constantFrom(...gates), fc.array(fc.constantFrom(...ORDERS)), (start, orders) => {
        let gate: { state: GateState; hand: Hand | null } = start;
        for (const order of [...orders, 'hold', 'release'] as const) {
          const move = moveHand(gate, order, false);
          if (move.kind === 'moved') gate = move;
        }
        expect(gate).toMatchObject({ state: 'held', hand: null });
        expect(moveHand(gate, 'release', false)).toEqual({ kind: 'no_hand' });
      }),
    );
  });
});
