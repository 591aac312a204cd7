import { describeEvent } from '@tidegate/core';
import { describe, expect, it } from 'vitest';
import type { LoadedIncident } from '../load-incident.ts';
import { listLanes, tellLeftOut } from './list-lanes.ts';

const SPAN = { fromMs: 1000, untilMs: 2000 };

type GateReason = 'disconnected' | 'never_verified';

function load(reason: GateReason, heardAt: number[] = [], services = ['agent']): LoadedIncident {
  const why = describeEvent({ event: 'gate.held', service: 'agent', reason });
  const incident = {
    services,
    subjectCount: 5,
    timeline: [{ at: new Date(1500), event: 'gate.held', why }],
    verifications: [],
  };
  const heard = heardAt.map((at) => ({ at: new Date(at).toISOString(), status: 'disconnected' }));
  const subject = { alias: 'dev_a', name: 'mac-mini', type: 'device', heard };
  return { incident, heard: [subject], whole: true } as unknown as LoadedIncident;
}

describe('listLanes', () => {
  it('draws what was so before the first event, and says so where that is not known', () => {
    const lanes = (loaded: LoadedIncident) =>
      listLanes(loaded, SPAN).map(({ label, stretches }) => [label, stretches.map(({ kind, to }) => [kind, to])]);
    expect(lanes(load('disconnected', [1250]))).toEqual([
      [
        'Device mac-mini',
        [
          ['unknown', 0.25],
          ['disconnected', 1],
        ],
      ],
      [
        'Gate agent',
        [
          ['verified', 0.5],
          ['held', 1],
        ],
      ],
    ]);
    expect(lanes(load('never_verified'))).toEqual([
      [
        'Gate agent',
        [
          ['unknown', 0.5],
          ['held', 1],
        ],
      ],
    ]);
  });
});

describe('tellLeftOut', () => {
  it('counts what has no lane', () => {
    expect(tellLeftOut(load('disconnected', [], ['a', 'b', 'c', 'd', 'e']))).toBe(
      'Not drawn: 4 more devices and tunnels and 1 more gate.',
    );
    expect(tellLeftOut({ ...load('disconnected'), whole: false })).toBeNull();
  });
});
