import { gateSchema } from '@tidegate/client';
import { GATE_STATES } from '@tidegate/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateTag, matchesTag, sameStanding } from './gate-tag.ts';
import { presentGate } from './present-gate.ts';

const SILENT_AFTER_MS = 5000;
const row = fc
  .record({
    service: fc.constant('a'),
    state: fc.constantFrom(...GATE_STATES),
    reason: fc.constantFrom('verified', 'disconnected', 'never_verified', 'held_by_hand', 'forced_open'),
    generation: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    since: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
    readAt: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }),
    heardForMs: fc.option(fc.integer({ min: -60_000, max: SILENT_AFTER_MS })),
    incident: fc.constantFrom(null, 'inc_1'),
  })
  .map(({ heardForMs, ...gate }) => ({
    ...gate,
    heardUntil: heardForMs === null ? null : new Date(gate.readAt.getTime() + heardForMs),
  }));

describe('presentGate', () => {
  it('allows only through an open or releasing gate while receivers are heard, and leases nothing else', () => {
    fc.assert(
      fc.property(row, (gate) => {
        const told = gateSchema.parse(presentGate(gate, SILENT_AFTER_MS));
        const open = gate.state === 'open' || gate.state === 'releasing';
        const forced = gate.reason === 'forced_open';
        const heard = gate.heardUntil === null || gate.heardUntil > gate.readAt;
        expect(told.decision === 'allowed').toBe(open && (heard || forced));
        expect(told.reason).toBe(open && !heard && !forced ? 'receiver_silent' : gate.reason);
        const leaseMs = Date.parse(told.validUntil) - gate.readAt.getTime();
        const heardForMs = (gate.heardUntil ?? new Date(8e15)).getTime() - gate.readAt.getTime();
        const longestMs = forced ? 5000 : Math.min(5000, heardForMs);
        expect(leaseMs).toBe(told.decision === 'allowed' ? longestMs : 0);
      }),
    );
  });
});

describe('the tag of a gate', () => {
  it('is equal exactly when decision, state and generation are', () => {
    fc.assert(
      fc.property(row, row, (one, other) => {
        const [a, b] = [presentGate(one, SILENT_AFTER_MS), presentGate(other, SILENT_AFTER_MS)];
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
