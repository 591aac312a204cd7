import { describe, expect, it } from 'vitest';
import type { ConfigError } from './config-error.ts';
import { parseConfig } from './load-config.ts';

const parse = (receiver: string) =>
  parseConfig({ file: 'x.yaml', source: `sources: [{ name: home }]\nreceiver: { ${receiver} }`, app: 'api', env: {} });

function refusal(receiver: string): string {
  try {
    parse(receiver);
  } catch (error) {
    return (error as ConfigError).format();
  }
  throw new Error('the config was accepted');
}

describe('how long a receiver is waited for', () => {
  it('has defaults that every app knows and that are reported as taken', () => {
    const { receiver, defaultsTaken } = parse('skewBound: 2m');
    expect(receiver).toMatchObject({ silentAfterMs: 5000, retireAfterMs: 86_400_000 });
    expect(defaultsTaken).toContainEqual({ key: 'receiver.silentAfter', value: '5s' });
    expect(parse('silentAfter: 2s, retireAfter: 7d').receiver).toMatchObject({
      silentAfterMs: 2000,
      retireAfterMs: 7 * 86_400_000,
    });
  });

  it.each([
    ['silentAfter: 1999ms', 'receiver.silentAfter: must be 2s or more: a receiver beats each second'],
    ['silentAfter: 0s', 'receiver.silentAfter: must be a duration above zero'],
    ['silentAfter: 2h, retireAfter: 1h', 'receiver.silentAfter: must not be longer than retireAfter'],
    ['retireAfter: 59m', 'receiver.retireAfter: must be a period of an hour or more'],
  ])('refuses %s', (line, message) => {
    expect(refusal(line)).toContain(`x.yaml:2: ${message}`);
  });
});
