import type { IncidentDetail } from '@tidegate/store';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limitDetail, limitRow } from './limit-incident.ts';

const NAMES = ['ag', 'ag-b', 'ag.b', 'bo', 'agent', 'agent-2', 'device', 'tunnel'];
const sentences = (name: string) => [
  ['gate.held', `The gate of ${name} was held, because a disconnect was received.`],
  ['gate.opened', `The gate of ${name} opened after verification.`],
  ['verification.passed', `Verification of ${name} passed (1 of 2 in a row).`],
  ['callbacks.released', `3 held callbacks of ${name} sent.`],
];

function incidentOf(services: string[]): IncidentDetail {
  const timeline = [
    ['incident.opened', 'Opened as a device outage, around the device "mac".'],
    ['incident.joined', 'The tunnel "payroll-db" joined, because its device is disconnected.'],
    ['incident.noted', `Note by Ana: ${services.join(' and ')} are down`],
    ...services.flatMap(sentences),
  ].map(([event = '', why = '']) => ({ at: new Date(0), event, why }));
  const verifications = services.map((service) => ({ service, layers: [] }));
  return {
    id: 'inc_1',
    kind: 'device',
    groupAlias: 'dev_1',
    groupName: 'mac',
    services,
    summary: `Device mac is disconnected; held: ${services.join(', ')}.`,
    subjects: [{ alias: 'tun_1', name: 'foreign', type: 'tunnel', why: 'x' }],
    timeline,
    verifications,
    gates: services.map((service) => ({ service, generation: 1 })),
    callbacks: {},
  } as unknown as IncidentDetail;
}

const subset = fc.uniqueArray(fc.constantFrom(...NAMES), { minLength: 1 });

describe('what a limited key sees of an incident', () => {
  it('is all of it when it may see every service, or is not limited', () => {
    fc.assert(
      fc.property(subset, (services) => {
        const incident = incidentOf(services);
        expect(limitDetail(incident, null)).toEqual({ incident, whole: true });
        expect(limitDetail(incident, NAMES)).toEqual({ incident, whole: true });
        expect(limitRow(incident, [...services, 'more'])).toBe(incident);
      }),
    );
  });

  it('names no other service anywhere, and keeps every sentence about its own', () => {
    fc.assert(
      fc.property(subset, subset, (services, visible) => {
        const foreign = services.filter((name) => !visible.includes(name));
        fc.pre(foreign.length > 0);
        const own = services.filter((name) => visible.includes(name));
        const { incident, whole } = limitDetail(incidentOf(services), visible);
        expect(whole).toBe(false);
        expect(incident.services).toEqual(own);
        expect(incident.verifications.map(({ service }) => service)).toEqual(own);
        expect(incident.subjects).toEqual([]);
        const words = [incident.summary, ...incident.timeline.map(({ why }) => why)].join('\n');
        expect(words).not.toContain('payroll-db');
        // Service names that are words of every sentence cannot be told from them.
        const tellable = foreign.filter(
          (other) => !/^(device|tunnel)$/.test(other) && !own.some((kept) => kept.startsWith(other)),
        );
        for (const name of tellable) {
          expect(words.split(/[\s,;:]+/)).not.toContain(name);
        }
        const kept = new Set(incident.timeline.map(({ why }) => why));
        for (const [, why = ''] of own.flatMap(sentences))
          expect(kept.has(why) || /device|tunnel/.test(why)).toBe(true);
      }),
    );
  });
});
