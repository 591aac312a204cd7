import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideVerdict } from './decide-verdict.ts';
import { judgeMembers } from './judge-members.ts';

const count = fc.record({ connected: fc.nat(4), disconnected: fc.nat(2), unlisted: fc.nat(2) });
const NONE = { connected: 0, disconnected: 0, unlisted: 0 };

describe('judgeMembers', () => {
  it('is healthy only on a list that shows something connected and nothing else', () => {
    fc.assert(
      fc.property(count, count, (devices, tunnels) => {
        const { verdict } = decideVerdict(judgeMembers({ devices, tunnels }));
        if (devices.disconnected > 0) expect(verdict).toBe('device_offline');
        else if (tunnels.disconnected > 0) expect(verdict).toBe('tunnel_stopped');
        else if (devices.unlisted > 0) expect(verdict).toBe('inconclusive');
        else if (devices.connected > 0) expect(verdict).toBe('healthy');
        else if (tunnels.unlisted > 0 || tunnels.connected === 0) expect(verdict).toBe('inconclusive');
        else expect(verdict).toBe('healthy');
      }),
      { numRuns: 500 },
    );
  });

  it('takes a tunnel that is gone from the list for deleted only while its device is there', () => {
    const gone = { ...NONE, unlisted: 1 };
    expect(judgeMembers({ devices: { ...NONE, connected: 1 }, tunnels: gone })).toMatchObject([
      { layer: 'device', outcome: 'pass', detail: 'Localtonet lists 1 of 1 device as connected.' },
      { layer: 'tunnel', outcome: 'skipped' },
    ]);
    expect(judgeMembers({ devices: NONE, tunnels: gone })).toMatchObject([
      { layer: 'device', outcome: 'skipped' },
      { layer: 'tunnel', outcome: 'unknown', reason: 'not_found' },
    ]);
  });
});
