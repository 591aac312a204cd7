import { describe, expect, it } from 'vitest';
import type { ConfigError } from './config-error.ts';
import { parseConfig } from './load-config.ts';

const DAY_MS = 86_400_000;
const parse = (rest: string) =>
  parseConfig({ file: 'x.yaml', source: `sources: [{ name: home }]\n${rest}`, app: 'worker', env: {} });

function refusal(rest: string): string {
  try {
    parse(rest);
  } catch (error) {
    return (error as ConfigError).format();
  }
  throw new Error('the config was accepted');
}

describe('retention', () => {
  it('has defaults that are reported as taken, and reads days as well as durations', () => {
    const { retention, defaultsTaken } = parse('retention: { observations: 400d, idempotency: 60h }');
    expect(retention).toEqual({
      observationsMs: 400 * DAY_MS,
      incidentsMs: 365 * DAY_MS,
      verificationsMs: 30 * DAY_MS,
      callbacksMs: 30 * DAY_MS,
      idempotencyMs: 2.5 * DAY_MS,
      quarantineMs: 30 * DAY_MS,
    });
    expect(defaultsTaken).toContainEqual({ key: 'retention.incidents', value: '365d' });
    expect(defaultsTaken.map(({ key }) => key)).not.toContain('retention.observations');
  });

  it.each([
    ['idempotency: 47h', 'retention.idempotency: must not be shorter than the largest release.retry.maxElapsed plus'],
    ['audit: 90d', 'retention.audit: must be one of never'],
    ['observations: forever', 'retention.observations: must be a period'],
    ['observations: 30m', 'retention.observations: must be a period'],
    ['deliveries: 3d', 'retention.deliveries: is not a key'],
  ])('refuses %s', (line, message) => {
    expect(refusal(`retention: { ${line} }`)).toContain(`x.yaml:2: ${message}`);
  });

  it('refuses what ends before a rule that looks back, or a sender that tries again, needs it last', () => {
    const policies = `policies:\n  slow:\n    reopenWithin: 48h\n    flap: { window: 36h }\n    release: { retry: { maxElapsed: 200h } }\n`;
    const kept = parse(`${policies}retention: { observations: 36h, incidents: 48h, idempotency: 224h }`).retention;
    expect(kept.idempotencyMs).toBe(224 * 3_600_000);
    for (const [key, shortened] of [
      ['observations', '{ observations: 35h, idempotency: 224h }'],
      ['incidents', '{ incidents: 47h, idempotency: 224h }'],
      ['idempotency', '{ idempotency: 223h }'],
    ])
      expect(refusal(`${policies}retention: ${shortened}`)).toContain(`retention.${key}: must not be shorter`);
  });
});
