import { describe, expect, it } from 'vitest';
import { showDefaults } from './show-defaults.ts';

describe('the defaults that were taken', () => {
  it('are a line for each part of the config, and one for entries that take the same', () => {
    const lines = showDefaults([
      { key: 'services[0].policy', value: 'default' },
      { key: 'services[0].severity', value: 'critical' },
      { key: 'services[1].policy', value: 'default' },
      { key: 'services[2].policy', value: 'default' },
      { key: 'notify.routes[0].severity', value: ['critical', 'info'] },
      { key: 'policies.default.flap.window', value: '10m' },
      { key: 'policies.default.flap.opensAt', value: 4 },
    ]);
    expect(lines.slice(2).map((line) => line.split(/ {2,}/))).toEqual([
      ['IN THE CONFIG', 'DEFAULTS TAKEN'],
      ['services[0]', 'policy default, severity critical'],
      ['services[1,2]', 'policy default'],
      ['notify.routes[0]', 'severity critical+info'],
      ['policies.default.flap', 'window 10m, opensAt 4'],
    ]);
    expect(showDefaults([])).toEqual([]);
  });
});
