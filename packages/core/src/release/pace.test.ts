import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/support/verifies.ts';
import { type Circuit, CLOSED_CIRCUIT, planCircuit, settleCircuit } from './circuit.ts';
import { planRamp, type Ramp, settleRamp, useGrant } from './plan-ramp.ts';
import { type DestinationHealth, weighDestination } from './weigh-destination.ts';

const POLICY = { canary: 1, maxPerSecond: 20 };
const HEALTH = fc.constantFrom<DestinationHealth>('healthy', 'busy', 'failing', 'none');

describe('the ramp', () => {
  it('sends one canary, and doubles with each round of answers up to the cap', () => {
    const rounds: number[] = [];
    let ramp: Ramp | null = null;
    for (let second = 0; second < 7; second += 1) {
      const plan = planRamp(ramp, { generation: 1, releasing: true, inFlight: 0, nowMs: second * 1000 }, POLICY);
      rounds.push(plan.grant);
      ramp = useGrant(plan.ramp, plan.grant);
      for (let answer = 0; answer < plan.grant; answer += 1) ramp = settleRamp(ramp, 'healthy', POLICY);
    }
    expect(rounds).toEqual([1, 2, 4, 8, 16, 20, 20]);
  });

  it('lets nothing join the canary before it is answered', () => {
    const plan = planRamp(null, { generation: 1, releasing: true, inFlight: 1, nowMs: 0 }, POLICY);
    expect(plan.grant).toBe(0);
  });

  it('is for releases: once the gate is simply open, only the cap is left', () => {
    const facts = { generation: 1, releasing: false, inFlight: 7, nowMs: 0 };
    expect(planRamp(null, facts, POLICY).grant).toBe(20);
    expect(planRamp({ generation: 1, window: 1, secondAtMs: 0, used: 15 }, facts, POLICY).grant).toBe(5);
  });

  it.each(['failing', 'busy'] as const)('is back to the canary when the destination is %s', (health) => {
    const ramp = settleRamp({ generation: 1, window: 16, secondAtMs: 0, used: 0 }, health, POLICY);
    expect(planRamp(ramp, { generation: 1, releasing: true, inFlight: 0, nowMs: 0 }, POLICY).grant).toBe(1);
  });

  it(verifies('I7', 'begins anew under a raised generation, and keeps to the cap of the second all the same'), () => {
    const grown = { generation: 1, window: 20, secondAtMs: 0, used: 19 };
    expect(planRamp(grown, { generation: 2, releasing: true, inFlight: 0, nowMs: 500 }, POLICY)).toEqual({
      ramp: { generation: 2, window: 1, secondAtMs: 0, used: 19 },
      grant: 1,
    });
    expect(
      planRamp({ ...grown, used: 20 }, { generation: 2, releasing: true, inFlight: 0, nowMs: 500 }, POLICY).grant,
    ).toBe(0);
  });

  it('never has more under way than its window, nor more in a second than the cap, whatever happens', () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 700 }),
      ends: fc.array(HEALTH, { maxLength: 30 }),
      cut: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 8 }), (steps, canary) => {
        const policy = { canary, maxPerSecond: 20 };
        const begun: number[] = [];
        let [ramp, generation, nowMs, inFlight]: [Ramp | null, number, number, number] = [null, 1, 0, 0];
        for (const { afterMs, ends, cut } of steps) {
          nowMs += afterMs;
          if (cut) [generation, inFlight] = [generation + 1, 0];
          const plan = planRamp(ramp, { generation, releasing: true, inFlight, nowMs }, policy);
          ramp = useGrant(plan.ramp, plan.grant);
          inFlight += plan.grant;
          expect(inFlight).toBeLessThanOrEqual(Math.max(plan.ramp.window, inFlight - plan.grant));
          for (let index = 0; index < plan.grant; index += 1) begun.push(ramp.secondAtMs);
          expect(begun.filter((at) => at === ramp?.secondAtMs).length).toBeLessThanOrEqual(20);
          for (const health of ends.slice(0, inFlight)) ramp = settleRamp(ramp, health, policy);
          inFlight = Math.max(0, inFlight - ends.length);
        }
      }),
    );
  });
});

describe('the circuit of a destination', () => {
  const settle = (from: Circuit, ...healths: DestinationHealth[]) =>
    healths.reduce((circuit, health) => settleCircuit(circuit, health, 0), from);
  const failing = Array<DestinationHealth>(5).fill('failing');

  it('opens after five failures in a row, and not after four and an answer', () => {
    expect(settle(CLOSED_CIRCUIT, ...failing)).toMatchObject({ state: 'open', openUntilMs: 5000 });
    expect(settle(CLOSED_CIRCUIT, ...failing.slice(1), 'healthy', ...failing.slice(1)).state).toBe('closed');
    expect(settle(CLOSED_CIRCUIT, ...failing.slice(1), 'busy', 'none', 'failing').state).toBe('open');
  });

  it('lets nothing through while open, then a counted few', () => {
    const open = settle(CLOSED_CIRCUIT, ...failing);
    expect(planCircuit(open, 0, 4999).permits).toBe(0);
    const { circuit, permits } = planCircuit(open, 0, 5000);
    expect([circuit.state, permits]).toEqual(['half_open', 2]);
    expect(planCircuit(circuit, 1, 5000).permits).toBe(1);
    expect(planCircuit(circuit, 9, 5000).permits).toBe(0);
    expect(planCircuit(CLOSED_CIRCUIT, 9, 0).permits).toBeNull();
  });

  it('closes after two answers, and opens for longer after one failure', () => {
    const { circuit } = planCircuit(settle(CLOSED_CIRCUIT, ...failing), 0, 5000);
    expect(settle(circuit, 'healthy').state).toBe('half_open');
    expect(settle(circuit, 'healthy', 'healthy')).toBe(CLOSED_CIRCUIT);
    expect(settle(circuit, 'healthy', 'failing')).toMatchObject({ state: 'open', openUntilMs: 10_000 });
  });

  it('stays open for a minute at most, and hears no late answer', () => {
    let circuit = settle(CLOSED_CIRCUIT, ...failing);
    expect(settle(circuit, 'healthy', 'failing')).toBe(circuit);
    for (let round = 0; round < 20; round += 1)
      circuit = settleCircuit(planCircuit(circuit, 0, 1e9).circuit, 'failing', 0);
    expect(circuit.openUntilMs).toBe(60_000);
  });
});

describe('weighDestination', () => {
  it.each([
    ['answered', 200, 'answered', 'healthy'],
    ['answered', 404, 'answered', 'healthy'],
    ['answered', 429, 'answered', 'busy'],
    ['answered', 503, 'answered', 'failing'],
    ['maybe_received', null, 'timeout', 'failing'],
    ['not_sent', null, 'refused', 'failing'],
    ['not_sent', null, 'lease_expired', 'none'],
    ['maybe_received', null, 'lease_expired', 'none'],
    ['maybe_received', null, 'aborted', 'none'],
    ['not_sent', null, 'address_denied', 'none'],
  ] as const)('%s %s %s is %s', (phase, status, reason, health) => {
    expect(weighDestination({ phase, status, reason })).toBe(health);
  });
});
