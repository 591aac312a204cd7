import { gateSchema } from '@tidegate/client';
import { GATE_STATES } from '@tidegate/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateTag, matchesTag, sameStanding } from './gate-tag.ts';
import { LEASE_MS, presentGate } from './present-gate.ts';

const row = fc.record({
  service: fc.constant('a'),
  state: fc.constantFrom(...GATE_STATES),
  reason: fc.constantFrom('verified', 'disconnected', 'never_verified', 'held_by_hand'),
  generation: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
  since: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
  readAt: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
  incident: fc.constantFrom(null, 'inc_1'),
});
const facts = fc.record({ receiversFresh: fc.boolean(), unknown: fc.boolean() });

describe('presentGate', () => {
  it('allows only through an open or releasing gate with every fact in its favour, and leases nothing else', () => {
    fc.assert(
      fc.property(row, facts, (gate, known) => {
        const told = gateSchema.parse(presentGate(gate, known));
        const open = gate.state === 'open' || gate.state === 'releasing';
        expect(told.decision === 'allowed').toBe(open && known.receiversFresh && !known.unknown);
        const leaseMs = Date.parse(told.validUntil) - gate.readAt.getTime();
        expect(leaseMs).toBe(told.decision === 'allowed' ? LEASE_MS : 0);
      }),
    );
  });
});

describe('the tag of a gate', () => {
  it('is equal exactly when decision, state and generation are', () => {
    fc.assert(
      fc.property(row, row, facts, (one, other, known) => {
        const [a, b] = [presentGate(one, known), presentGate(other, known)];
        expect(gateTag(a) === gateTag(b)).toBe(sameStanding(a, b));
      }),
    );
  });

  it('is found in a list, weak or not, and by a star', () => {
    const tag = 'W/"3.held.held"';
    for (const header of [tag, '"3.held.held"', `"x", ${tag}`, ' * ']) expect(matchesTag(header, tag)).toBe(true);
    for (const header of ['', '"3.held"', 'W/"4.held.held"', '"*"']) expect(matchesTag(header, tag)).toBe(false);
  });
});
