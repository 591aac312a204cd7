import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findSilence, type LiveSilence } from './find-silence.ts';

const SERVICES = ['a', 'b', 'c'];
const GROUPS = ['dev_1', 'tun_2'];
const silenceArb: fc.Arbitrary<LiveSilence> = fc.oneof(
  fc.constant({ id: 'sil_all', scope: 'all', target: null } as const),
  fc.constantFrom(...GROUPS).map((target) => ({ id: `sil_${target}`, scope: 'group', target }) as const),
  fc.constantFrom(...SERVICES).map((target) => ({ id: `sil_${target}`, scope: 'service', target }) as const),
);
const incidentArb = fc.record({ groups: fc.subarray(GROUPS), services: fc.subarray(SERVICES) });

describe('findSilence', () => {
  it('mutes exactly what is silenced as a whole, by its group, or in every one of its services', () => {
    fc.assert(
      fc.property(fc.array(silenceArb, { maxLength: 5 }), incidentArb, (silences, incident) => {
        const has = (scope: string, target: string) => silences.some((s) => s.scope === scope && s.target === target);
        const muted =
          silences.some(({ scope }) => scope === 'all') ||
          incident.groups.some((group) => has('group', group)) ||
          (incident.services.length > 0 && incident.services.every((service) => has('service', service)));
        expect(findSilence(silences, incident) !== null).toBe(muted);
      }),
    );
  });

  it('names a silence that was given, whatever their order', () => {
    fc.assert(
      fc.property(fc.array(silenceArb, { maxLength: 5 }), incidentArb, (silences, incident) => {
        const found = findSilence(silences, incident);
        if (found !== null) expect(silences).toContain(found);
        expect(findSilence([...silences].reverse(), incident) === null).toBe(found === null);
      }),
    );
  });
});
