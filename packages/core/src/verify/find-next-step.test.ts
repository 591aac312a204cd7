import { describe, expect, it } from 'vitest';
import type { IncidentKind } from '../model/incident.ts';
import type { Layer, Verdict } from '../model/verification.ts';
import { findNextStep, type TriedRun } from './find-next-step.ts';
import { runbookStep, SHARED_STEP } from './runbook.ts';

type Run = readonly [service: string | null, verdict: Verdict, firstBroken: Layer | null, generation?: number];

/** Runs are given the newest first; gates stand at generation 7. */
function find(kind: IncidentKind, services: readonly string[], runs: readonly Run[], calmAt: Date | null = null) {
  const tried = runs.map(
    ([service, verdict, firstBroken, generation = 7], index): TriedRun => ({
      service,
      generation,
      startedAt: new Date(1e12 - index * 1000),
      verdict,
      firstBroken,
      runbook: `Mend ${verdict}.`,
      overtaken: false,
    }),
  );
  const gates = services.map((service) => ({ service, generation: 7 }));
  return findNextStep({ kind, state: 'open', runs: tried, gates, calmAt });
}

const FAILED: Run = ['agent', 'tunnel_stopped', 'tunnel'];
const PASSED: Run = ['agent', 'healthy', null];

describe('what to do next', () => {
  it('is the step of the run that broke, until a newer one of the same service passed', () => {
    expect(find('tunnel', ['agent'], [FAILED])).toMatchObject({ kind: 'broken', step: 'Mend tunnel_stopped.' });
    expect(find('tunnel', ['agent'], [PASSED, FAILED])).toMatchObject({ kind: 'passed' });
    expect(find('tunnel', ['agent'], [FAILED, PASSED])).toMatchObject({ kind: 'broken', broken: { layer: 'tunnel' } });
    const other: Run = ['mail', 'healthy', null];
    expect(find('tunnel', ['agent', 'mail'], [other, FAILED])).toMatchObject({ step: 'Mend tunnel_stopped.' });
  });

  it('is told by the kind of outage before any run has ended, and after a pass from before the last disconnect', () => {
    const power = runbookStep('device_offline');
    expect(find('device', ['agent'], [])).toMatchObject({ kind: 'unclear', step: power });
    expect(find('device', ['agent'], [['agent', 'healthy', null, 6]])).toMatchObject({ kind: 'unclear', step: power });
    expect(find('device', [], [])).toMatchObject({ step: power });
    expect(find('tunnel', ['agent'], [])).toMatchObject({ step: runbookStep('tunnel_stopped') });
    expect(find('mass', [], [])).toMatchObject({ step: SHARED_STEP });
  });

  it('is to wait once some have passed and nothing is known of the rest', () => {
    expect(find('device', ['agent', 'mail'], [PASSED])).toMatchObject({
      kind: 'unclear',
      step: null,
      passed: 1,
      of: 2,
    });
  });

  it.each([[[]], [[PASSED]], [[PASSED, FAILED]], [[FAILED]]])(
    'of a connection that comes and goes is to look at what makes it so, whatever a run found: %j',
    (runs) => {
      const found = find('flapping', ['agent'], runs, new Date('2026-03-14T01:48:00Z'));
      expect(found).toMatchObject({ kind: 'unstable', broken: runs[0] === FAILED ? { layer: 'tunnel' } : null });
      expect(found.step).toMatch(/^Check the Wi-Fi and the power .* at 01:48 UTC at the earliest.* force one open/);
    },
  );

  it('of many devices is to look for what they share, unless the way to them works', () => {
    const offline: Run = ['agent', 'device_offline', 'device'];
    expect(find('mass', ['agent'], [offline])).toMatchObject({ kind: 'broken', step: SHARED_STEP });
    const app: Run = ['agent', 'app_check_failed', 'application'];
    expect(find('mass', ['agent'], [app])).toMatchObject({ step: 'Mend app_check_failed.' });
  });

  it('is nothing once it is over', () => {
    const facts = { kind: 'device', state: 'resolved', runs: [], gates: [], calmAt: null } as const;
    expect(findNextStep(facts)).toEqual({ kind: 'over', step: null });
  });
});
