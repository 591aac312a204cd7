import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { parseConfig } from './load-config.ts';

const env = { DEAD_MAN_URL: 'https://watch.example.org/ping/invented' };
const parse = (section: string, app: 'receiver' | 'api' | 'worker' | 'cli' = 'worker') =>
  parseConfig({ file: 'tidegate.yaml', app, env, source: `sources: [{ name: home }]\n${section}\n` });

describe('deadMan', () => {
  it('is off unless it is given, and pings each minute unless told otherwise', () => {
    expect(parse('').deadMan).toBeNull();
    const url = 'https://watch.example.org/ping/invented';
    expect(parse(`deadMan: { url: "\${DEAD_MAN_URL}" }`).deadMan).toEqual({ url, everyMs: 60_000 });
    expect(parse(`deadMan: { url: "\${DEAD_MAN_URL}", every: 5m }`).deadMan).toEqual({ url, everyMs: 300_000 });
  });

  it.each(['receiver', 'api', 'cli'] as const)('leads nowhere for the %s, which needs no such variable', (app) => {
    const { deadMan } = parse(`deadMan: { url: "\${ANOTHER_VARIABLE}" }`, app);
    expect(deadMan).toEqual({ url: null, everyMs: 60_000 });
  });

  it.each([
    ['deadMan: { every: 1m }', 'deadMan.url'],
    ['deadMan: { url: nonsense-invented }', 'deadMan.url'],
    [`deadMan: { url: "\${DEAD_MAN_URL}", every: 10ms }`, 'deadMan.every'],
  ])('refuses %s by its key, without the value', (section, key) => {
    const refused = () => parse(section);
    expect(refused).toThrow(ConfigError);
    try {
      refused();
    } catch (error) {
      expect(error).toMatchObject({ key });
      expect((error as ConfigError).format()).not.toContain('invented');
    }
  });
});

describe('traces', () => {
  const section = `traces: { url: "https://otlp.example.org/v1/traces", headers: { authorization: "Bearer \${OTLP_KEY}" } }`;
  const parseTraces = (app: 'receiver' | 'api' | 'worker' | 'cli') =>
    parseConfig({ file: 'f', app, env: { OTLP_KEY: 'invented' }, source: `sources: [{ name: home }]\n${section}\n` });

  it('are off unless they are given; their way and its key are known to the worker alone', () => {
    expect(parse('').traces).toBeNull();
    expect(parseTraces('worker').traces).toEqual({
      url: 'https://otlp.example.org/v1/traces',
      headers: { authorization: 'Bearer invented' },
      allowPrivate: [],
    });
    for (const app of ['receiver', 'api', 'cli'] as const) {
      expect(parseTraces(app).traces).toEqual({ url: null, headers: {}, allowPrivate: [] });
    }
  });
});
