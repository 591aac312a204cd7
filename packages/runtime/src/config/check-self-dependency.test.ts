import { describe, expect, it } from 'vitest';
import { ConfigError } from './config-error.ts';
import { parseConfig } from './load-config.ts';

const load = (receiver: object, url: string, layer = 'public') => {
  const services = [{ name: 'agent', source: 'home', tunnel: '298487', probes: { [layer]: { url } } }];
  const source = JSON.stringify({ sources: [{ name: 'home' }], services, receiver });
  return parseConfig({ file: 'test.yaml', source, app: 'receiver', env: {} });
};

describe('a receiver behind what it watches', () => {
  it.each([
    ['public', 'https://agent.example.org/healthz'],
    ['application', 'https://agent.example.org:8443/login'],
    ['public', 'http://AGENT.example.org./'],
    ['liveness', 'https://agent.example.org/livez'],
    ['readiness', 'http://agent.example.org:9000/readyz'],
  ])('is refused: %s probe %s', (layer, url) => {
    let issue: unknown;
    try {
      load({ publicUrl: 'https://agent.example.org/' }, url, layer);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      issue = error;
    }
    expect(issue).toMatchObject({
      key: 'receiver.publicUrl',
      message: expect.stringContaining(`services[0].probes.${layer}.url`),
    });
    expect(String((issue as Error).message)).toContain('receiver.allowSelfDependency');
  });

  it.each(['http://127.0.0.1', 'http://localhost', 'http://[::1]'])(
    'is not one whose agent runs beside it: %s',
    (host) => {
      for (const layer of ['liveness', 'readiness'])
        expect(load({ publicUrl: `${host}:7411` }, `${host}:9000/livez`, layer).services).toHaveLength(1);
    },
  );

  it('is accepted when it is wanted, and under any other host', () => {
    const same = 'https://agent.example.org/';
    expect(load({ publicUrl: same, allowSelfDependency: true }, same).receiver.allowSelfDependency).toBe(true);
    expect(load({ publicUrl: 'https://hooks.example.org/' }, same).receiver.publicUrl).toBe(
      'https://hooks.example.org/',
    );
    expect(load({}, same).receiver.publicUrl).toBeNull();
  });
});
