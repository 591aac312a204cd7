import type { Layer, Verdict } from '@tidegate/core';
import type { VerificationView } from '@tidegate/store';
import { describe, expect, it } from 'vitest';
import { BrokenLayer } from './broken-layer.tsx';
import type { LoadedIncident } from './load-incident.ts';

type Run = readonly [service: string | null, verdict: Verdict, firstBroken: Layer | null, generation?: number];

/** What a person reads of it. Runs are given the newest first. */
function read(services: readonly string[], runs: readonly (Run | 'overtaken')[], change: object = {}): string {
  const verifications: VerificationView[] = [];
  for (const run of runs) {
    const last = verifications.at(-1);
    if (run === 'overtaken') {
      if (last !== undefined) verifications[verifications.length - 1] = { ...last, overtaken: true };
      continue;
    }
    const [service, verdict, firstBroken, generation = 7] = run;
    verifications.push({
      id: `ver_${verifications.length}`,
      service,
      generation,
      startedAt: new Date(1e12 - verifications.length * 1000),
      verdict,
      firstBroken,
      runbook: 'Do it.',
      overtaken: false,
      layers: [],
    });
  }
  const incident = {
    state: 'open',
    services,
    verifications,
    timeline: [],
    firstBroken: null,
    mergedInto: null,
    resolvedBy: null,
    kind: 'application',
    calmAt: null,
  };
  const loaded = {
    incident: { ...incident, ...change },
    gates: services.map((service) => ({ service, generation: 7 })),
  };
  const html = String(BrokenLayer({ loaded: loaded as unknown as LoadedIncident }));
  const text = html.replace(/<svg[\s\S]*?<\/svg>/g, '').replace(/<[^>]+>/g, ' ');
  return text.replace(/\s+/g, ' ').trim();
}

const DOWN = ['app', 'app_check_failed', 'application'] as const satisfies Run;
const UP = ['mail', 'healthy', null] as const satisfies Run;

describe('what is read first of an incident', () => {
  it('is the layer of the service that is broken, whichever was verified last', () => {
    const told = 'First broken layer Application Of app';
    expect(read(['app', 'mail'], [UP, DOWN])).toContain(told);
    expect(read(['app', 'mail'], [DOWN, UP])).toContain(told);
  });

  it('is the layer that the others stand on, with the services that break there', () => {
    const runs: Run[] = [DOWN, ['mail', 'tunnel_stopped', 'tunnel'], ['news', 'tunnel_stopped', 'tunnel']];
    expect(read(['app', 'mail', 'news'], runs)).toContain('First broken layer Tunnel Of mail, news');
  });

  it('is a pass only once every service has passed', () => {
    expect(read(['app', 'mail'], [UP])).toContain('Not known yet 1 of 2 services passed');
    expect(read(['app', 'mail'], [UP, ['app', 'healthy', null], DOWN])).toContain('Last verification Passed');
    expect(read([], [[null, 'healthy', null]])).toContain('Last verification Passed');
  });

  it('is no pass from before the last disconnect, nor one that was overtaken', () => {
    expect(read(['mail'], [['mail', 'healthy', null, 6]])).toContain('Not known yet');
    expect(read(['mail'], [UP, 'overtaken'])).toContain('Not known yet');
    expect(read(['app'], [['app', 'healthy', null], 'overtaken', DOWN])).toContain('First broken layer Application');
  });

  it('is what could not be found out, with the step that helps', () => {
    expect(read(['mail'], [['mail', 'inconclusive', null]])).toMatch(
      /^No layer is known to be broken Not known yet .* Next step: Do it\./,
    );
    expect(read(['mail'], [])).toContain('It was not verified yet.');
    expect(read(['mail'], [], { firstBroken: 'device' })).toContain(
      'First broken layer Device It was not verified yet.',
    );
  });

  it('is that the connection is unstable while it is, whatever the last look found', () => {
    const flapping = { kind: 'flapping' };
    expect(read(['mail'], [UP], flapping)).toMatch(
      /^The connection comes and goes Unstable Next step: Check the Wi-Fi and the power .* held until the connection stays calm/,
    );
    const down: Run = ['mail', 'device_offline', 'device'];
    expect(read(['mail'], [down], flapping)).toMatch(/Unstable First broken layer at the last look: Device\./);
  });

  it('is what to look at by the kind of outage before it was verified', () => {
    expect(read(['mail'], [], { kind: 'device' })).toContain('Next step: Check that the device has power');
  });

  it('is not that all is over where it goes on, or where nothing proved it', () => {
    const over = { state: 'resolved' };
    expect(read(['mail'], [UP], { ...over, resolvedBy: 'ver_0' })).toBe('It is over Resolved');
    expect(read(['mail'], [UP], over)).toBe('Nothing proved that it is over Ended by hand');
    expect(read(['mail'], [UP], { ...over, mergedInto: 'inc_b' })).toContain('It goes on in another incident Merged');
  });
});
