import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { verifies } from '../../../../test/support/verifies.ts';
import type { AppName, Config } from './config.ts';
import { ConfigError } from './config-error.ts';
import { configJsonSchema } from './config-json-schema.ts';
import { loadConfig, parseConfig } from './load-config.ts';
import type { Env } from './resolve-values.ts';
import { writeStarterConfig } from './write-starter-config.ts';

const FULL = `
sources:
  - { name: home-lab, group: lab, timeZone: Europe/Istanbul, watch: linked, secret: "\${HOOK_SECRET}" }
localtonet: { baseUrl: https://localtonet.com/api/v2, apiKey: "\${LOCALTONET_API_KEY}", pollEvery: 60s }
services:
  - name: research-agent
    source: home-lab
    device: mac-mini
    tunnel: "298487"
    probes:
      liveness:    { url: http://127.0.0.1:9000/livez }
      readiness:   { url: http://127.0.0.1:9000/readyz }
      public:      { url: https://abc.localto.net/healthz, expect: { status: 204, bodyIncludes: ok } }
      application: { url: https://abc.localto.net/whoami, headers: { authorization: "Bearer \${AGENT_PROBE}" } }
    policy: calm
    essential: [llm]
    signingSecret: \${SIGNING_SECRET}
policies:
  calm:
    openAfter: 1.5s
    flap: { opensAt: 6 }
receiver: { publicUrl: https://hooks.example.org, trustedProxies: [10.0.0.0/8, "::1"], skewBound: 90s }
outbound: { probes: { allowPrivate: ["127.0.0.1/32:9000"] }, callbacks: { allowPrivate: ["fd00::/8"] } }
`;

const ENV: Env = {
  HOOK_SECRET: 'invented-hook-secret',
  LOCALTONET_API_KEY: 'invented-api-key',
  AGENT_PROBE: 'invented-probe-key',
  SIGNING_SECRET: 'whsec_aW52ZW50ZWQ=',
};

const parse = (source: string, app: AppName = 'worker', env: Env = {}): Config =>
  parseConfig({ file: 'tidegate.yaml', app, env, source });

function errorOf(source: string, app: AppName = 'worker', env: Env = {}): ConfigError {
  try {
    parse(source, app, env);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error;
    }
    throw error;
  }
  throw new Error('the config was accepted');
}

const MINIMAL = 'sources:\n  - name: lab\n';
const withService = (lines: string) =>
  `${MINIMAL}services:\n  - name: agent\n    source: lab\n    device: mac\n${lines}`;

describe('a config', () => {
  it('is read with durations in milliseconds and names derived', () => {
    const config = parse(FULL, 'worker', ENV);
    expect(config.sources[0]).toEqual({
      name: 'home-lab',
      group: 'lab',
      timeZone: 'Europe/Istanbul',
      watch: 'linked',
      secret: null,
    });
    expect(config.localtonet).toMatchObject({ apiKey: 'invented-api-key', pollEveryMs: 60_000 });
    expect(config.services[0]).toMatchObject({ group: 'lab', tunnel: '298487', essential: ['llm'], policy: 'calm' });
    expect(config.services[0]?.probes.readiness).toEqual({
      url: 'http://127.0.0.1:9000/readyz',
      headers: {},
      expect: { status: 200, bodyIncludes: null, nonce: false },
    });
    expect(config.services[0]?.probes.application?.headers).toEqual({ authorization: 'Bearer invented-probe-key' });
    expect(config.policies.calm).toMatchObject({ openAfterMs: 1500, maxWaitMs: 120_000, flap: { opensAt: 6 } });
    expect(config.policies.default?.openAfterMs).toBe(20_000);
    expect(config.receiver).toMatchObject({ skewBoundMs: 90_000, trustedProxies: ['10.0.0.0/8', '::1'] });
  });

  it('needs no more than one source', () => {
    const config = parse(MINIMAL);
    expect(config).toMatchObject({ localtonet: null, services: [], receiver: { publicUrl: null, rateLimit: null } });
    expect(config.sources[0]?.group).toBe('lab');
  });

  it('says which defaults were taken, as one would write them, and only those', () => {
    const routes =
      'notify: { channels: { am: { type: alertmanager, url: "http://a.example" } }, routes: [{ channels: [am] }] }\n';
    const { defaultsTaken } = parse(`${FULL}${routes}`, 'worker', ENV);
    const taken = new Map(defaultsTaken.map(({ key, value }) => [key, value]));
    expect(taken.get('policies.calm.maxWait')).toBe('2m');
    expect(taken.get('policies.default.release.retry.maxElapsed')).toBe('24h');
    expect(taken.get('mass.minDevices')).toBe(5);
    expect(taken.get('retention.incidents')).toBe('365d');
    expect(taken.get('services[0].probes.public.expect.nonce')).toBe(false);
    expect(taken.get('notify.channels.am.repeatEvery')).toBe('1m');
    expect(taken.get('notify.routes[0].severity')).toEqual(['critical', 'warning', 'info']);
    for (const key of ['policies.calm.openAfter', 'policies.calm.flap.opensAt', 'receiver.skewBound']) {
      expect(taken.has(key)).toBe(false);
    }
  });

  it('takes a tunnel id that is written as a number by its text', () => {
    const config = parse(`${MINIMAL}services:\n  - { name: a, source: lab, tunnel: 9007199254740993 }\n`);
    expect(config.services[0]?.tunnel).toBe('9007199254740993');
  });

  it(verifies('I3', 'gives each app its own secrets only'), () => {
    const visible = (app: AppName, env: Env) => JSON.stringify(parse(FULL, app, env));
    const secrets = Object.values(ENV).map(String);
    expect(secrets.filter((secret) => visible('api', {}).includes(secret))).toEqual([]);
    expect(secrets.filter((secret) => visible('receiver', ENV).includes(secret))).toEqual(['invented-hook-secret']);
    expect(secrets.filter((secret) => visible('cli', ENV).includes(secret))).toEqual(['invented-hook-secret']);
    expect(secrets.filter((secret) => visible('worker', ENV).includes(secret))).toEqual(secrets.slice(1));
  });

  it(verifies('I3', 'keeps secrets written in the file itself from the other apps too'), () => {
    const literal = FULL.replaceAll(/\$\{([A-Z_]+)\}/g, (_, name: string) => String(ENV[name]));
    const text = JSON.stringify(parse(literal, 'api'));
    expect(Object.values(ENV).filter((secret) => text.includes(String(secret)))).toEqual([]);
  });
});

describe('an error in a config', () => {
  it.each([
    ['sources: []', 1, 'sources', 'needs at least 1 entry'],
    ['services: []', 1, 'sources', 'is required'],
    ['', 1, 'sources', 'is required'],
    [`${MINIMAL}porbes: 1`, 3, 'porbes', 'is not a key that is known here'],
    [withService('    policy: calm'), 7, 'services[0].policy', 'names no entry of policies'],
    [
      withService('').replace('source: lab', 'source: other'),
      5,
      'services[0].source',
      'names no entry of sources: one added on the command line has to be listed there too',
    ],
    [`${MINIMAL}  - name: lab`, 3, 'sources[1].name', 'is the name of an earlier entry'],
    [
      withService('  - { name: agent, source: lab, device: b }'),
      7,
      'services[1].name',
      'is the name of an earlier entry',
    ],
    [`${MINIMAL}    timeZone: Mars/Base`, 3, 'sources[0].timeZone', 'must be an IANA time zone'],
    [`${MINIMAL}    timeZone: "+03:00"`, 3, 'sources[0].timeZone', 'must be an IANA time zone'],
    [`${MINIMAL}    watch: some`, 3, 'sources[0].watch', 'must be one of linked, all'],
    [`${MINIMAL}    secret: short`, 3, 'sources[0].secret', 'must be 16 to 128'],
    [
      `${MINIMAL}policies:\n  default:\n    maxWait: 5s`,
      5,
      'policies.default.maxWait',
      'must not be shorter than openAfter',
    ],
    [`${MINIMAL}policies:\n  default:\n    verify: { passes: 0 }`, 5, 'policies.default.verify.passes', 'at least 1'],
    [`${MINIMAL}localtonet:\n  pollEvery: 1ms`, 4, 'localtonet.pollEvery', 'of 1s or more'],
    [`${MINIMAL}policies:\n  default:\n    verify:\n      every: 0s`, 6, 'policies.default.verify.every', 'above zero'],
    [
      `${MINIMAL}policies:\n  default: { flap: { opensAt: 3, settlesAt: 3 } }`,
      4,
      'policies.default.flap.settlesAt',
      'below opensAt',
    ],
    [
      `${MINIMAL}policies:\n  default: { openAfter: 20 }`,
      4,
      'policies.default.openAfter',
      'must be a duration, as 250ms, 20s',
    ],
    [
      `${MINIMAL}policies:\n  default: { verify: { every: 5 } }`,
      4,
      'policies.default.verify.every',
      'zero, as 250ms, 20s',
    ],
    [`${MINIMAL}localtonet: { pollEvery: 60 }`, 3, 'localtonet.pollEvery', 'of 1s or more, as 250ms, 20s'],
    [`${MINIMAL}retention: { incidents: 90 }`, 3, 'retention.incidents', 'as 90d or 36h'],
    [`${MINIMAL}mass: { fraction: 2 }`, 3, 'mass.fraction', 'must be at most 1'],
    [
      `${MINIMAL}receiver:\n  publicUrl: https://user:pw@hooks.example.org`,
      4,
      'receiver.publicUrl',
      'without user name',
    ],
    [
      `${MINIMAL}receiver:\n  publicUrl: ftp://hooks.example.org`,
      4,
      'receiver.publicUrl',
      'must be an http or https URL',
    ],
    [
      `${MINIMAL}receiver:\n  trustedProxies:\n    - 10.0.0.0/33`,
      5,
      'receiver.trustedProxies[0]',
      'must be an address or network',
    ],
    [
      `${MINIMAL}outbound:\n  probes: { allowPrivate: [10.0.0.0] }`,
      4,
      'outbound.probes.allowPrivate[0]',
      'must be a network',
    ],
    [
      `${MINIMAL}outbound:\n  callbacks: { allowPrivate: ["10.0.0.0/8:0"] }`,
      4,
      'outbound.callbacks.allowPrivate[0]',
      'must be a network',
    ],
    [`${MINIMAL}services:\n  - { name: a, source: lab }`, 4, 'services[0]', 'needs a device or a tunnel'],
    [
      withService('    probes:\n      liveness: {}'),
      8,
      'services[0].probes.liveness',
      'needs either a url or a reporter',
    ],
    [
      withService('    probes:\n      public: { reporter: mac }'),
      8,
      'services[0].probes.public.reporter',
      'is not a key',
    ],
    [
      withService('    probes:\n      readiness: { reporter: mac, headers: {} }'),
      8,
      'services[0].probes.readiness.reporter',
      'is not supported yet',
    ],
    [
      withService('    callbackOrigins: [https://a.example/x]'),
      7,
      'services[0].callbackOrigins[0]',
      'must be an origin',
    ],
    ['sources:\n\t- name: x', 2, '', 'tabs cannot indent'],
    ['sources: []\nsources: []', 2, '', 'a key is given twice'],
    ['sources: [', 1, '', 'the indentation or a bracket does not fit'],
    ['sources: "x', 1, '', 'cannot be read as YAML'],
    ['sources: &all [*all]', 1, '', 'too large or too deep'],
    ['a: 1\n---\nb: 2', 2, '', 'only one YAML document'],
    ['sources: *nothing', 1, 'sources', 'is an alias that names no anchor'],
    ['just text', 1, '', 'must be a map of keys'],
  ])('of %j is at line %d, key %j: %s', (source, line, key, message) => {
    const found = errorOf(source).issues.filter((issue) => issue.key === key && issue.message.includes(message));
    expect(found.map((issue) => issue.line)).toEqual([line]);
  });

  it('comes together with the others, in file order, twenty at most', () => {
    const many = Array.from({ length: 30 }, (_, i) => `  - { name: s${i}, watch: no-such, extra: 1 }`).join('\n');
    const { issues } = errorOf(`sources:\n${many}\n`);
    expect(issues).toHaveLength(20);
    expect(issues.map(({ line }) => line)).toEqual(issues.map(({ line }) => line).toSorted((a, b) => a - b));
  });

  it('of syntax is reported once per line, also in absurdly nested text', () => {
    const { issues } = errorOf(`sources: ${'['.repeat(5000)}`);
    expect(issues).toHaveLength(new Set(issues.map(({ line, message }) => `${line} ${message}`)).size);
  });

  it('is printed as file:line: key: message', () => {
    expect(errorOf(`${MINIMAL}porbes: 1`).format()).toBe('tidegate.yaml:3: porbes: is not a key that is known here');
  });

  it('names a variable that is not set or empty, at the key that needs it', () => {
    const error = errorOf(FULL, 'worker', { ...ENV, AGENT_PROBE: '' });
    expect(error).toMatchObject({ line: 14, key: 'services[0].probes.application.headers.authorization' });
    expect(error.message).toContain('AGENT_PROBE');
    expect(() => parse(FULL, 'receiver', { HOOK_SECRET: ENV.HOOK_SECRET })).not.toThrow();
  });

  it.each(['{', '{}', '{lower}', '{tdg_secret}', '{A-B}', '{A'])('refuses the reference $%s', (reference) => {
    const { message } = errorOf(`${MINIMAL}    group: "$${reference}"`);
    expect(message).toContain('holds a reference that is not');
    expect(message).not.toContain('tdg_secret');
  });

  it('takes a doubled dollar for the characters themselves', () => {
    const source = withService(
      `    probes: { public: { url: https://a.example/, expect: { bodyIncludes: "$\${x}" } } }`,
    );
    expect(parse(source).services[0]?.probes.public?.expect.bodyIncludes).toBe(`\${x}`);
  });
});

describe('a canary in a config', () => {
  const canary = 'zq7-canary-93f1';
  const places = fc.constantFrom(
    ...[
      ['sources', 0, 'name'],
      ['sources', 0, 'secret'],
      ['sources', 0, canary],
      ['localtonet', 'apiKey'],
      ['localtonet', 'pollEvery'],
      ['services', 0, 'device'],
      ['services', 0, 'probes', 'application', 'headers', canary],
      ['services', 0, 'probes', 'application', 'headers', 'authorization'],
      ['services', 0, 'probes', 'public', 'url'],
      ['services', 0, 'probes', 'public', 'expect', 'status'],
      ['policies', canary],
      ['policies', 'default', 'openAfter'],
      ['receiver', 'publicUrl'],
      ['receiver', 'trustedProxies', 0],
      ['outbound', 'probes', 'allowPrivate', 0],
      [canary],
    ],
  );
  const values = fc.constantFrom<unknown>(
    canary,
    [canary],
    { [canary]: canary },
    `\${${canary}}`,
    `https://${canary}:${canary}@example.org`,
    `\n${canary}\u0000`,
    `5${canary}s`,
    `10.0.0.0/8:${canary}`,
  );

  function place(root: Record<string, unknown>, path: readonly (string | number)[], value: unknown): void {
    let node: Record<string | number, unknown> = root;
    path.forEach((segment, index) => {
      const last = index === path.length - 1;
      node[segment] = last ? value : (node[segment] ?? (typeof path[index + 1] === 'number' ? [] : {}));
      node = node[segment] as Record<string | number, unknown>;
    });
  }

  it(verifies('I3', 'is in no error, wherever it stands and whatever it is'), () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(places, values), { minLength: 1, maxLength: 4 }), (planted) => {
        const root: Record<string, unknown> = { sources: [{ name: 'lab' }] };
        for (const [path, value] of planted) {
          place(root, path, value);
        }
        try {
          parse(stringify(root), 'worker', {});
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          const text = `${error} ${(error as ConfigError).format()} ${JSON.stringify(error)}`;
          expect(text).not.toContain(canary);
        }
      }),
      { numRuns: 300 },
    );
  });

  it(verifies('I3', 'is in no syntax error either'), () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        try {
          parse(`${before}${canary}${after}`, 'worker', {});
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          expect((error as ConfigError).format()).not.toContain(canary);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a config file', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidegate-config-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is an error when it does not exist, is a folder, or is not text', async () => {
    await writeFile(join(folder, 'binary.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
    const load = (file: string) => () => loadConfig({ file, app: 'api', env: {} });
    expect(load(join(folder, 'none.yaml'))).toThrow('does not exist');
    expect(load(folder)).toThrow('cannot be read');
    expect(load(join(folder, 'binary.yaml'))).toThrow('not UTF-8');
  });

  it('is started with a commented one that every app accepts, and is never overwritten', async () => {
    const file = join(folder, 'new', 'tidegate.yaml');
    expect(await writeStarterConfig(file)).toBe(true);
    for (const app of ['receiver', 'api', 'worker', 'cli'] as const) {
      const config = loadConfig({ file, app, env: {} });
      expect(config.sources).toMatchObject([{ name: 'default', watch: 'all', secret: null }]);
      expect(config.services).toEqual([]);
    }
    await writeFile(file, MINIMAL);
    expect(await writeStarterConfig(file)).toBe(false);
    expect(await readFile(file, 'utf8')).toBe(MINIMAL);
  });

  it('has a starter whose comments are a valid config too', async () => {
    const file = join(folder, 'commented.yaml');
    await writeStarterConfig(file);
    const starter = await readFile(file, 'utf8');
    const uncommented = starter.replaceAll(/^#(?! [^ ])/gm, '');
    const config = parse(uncommented, 'worker', {
      LOCALTONET_API_KEY: 'k',
      AGENT_PROBE: 'p',
      PAGERDUTY_KEY: 'invented-key',
      DEAD_MAN_URL: 'https://watch.example.org/ping/invented',
      SLACK_WEBHOOK_URL: 'https://chat.example/invented',
    });
    expect(config.services[0]?.name).toBe('research-agent');
    expect(config.notify.channels.map(({ name }) => name)).toEqual(['phone', 'chat']);
    expect(config.localtonet?.apiKey).toBe('k');
  });

  it('has a JSON Schema for editors', () => {
    const schema = JSON.stringify(configJsonSchema());
    expect(schema).toContain('"additionalProperties":false');
    expect(schema).toContain('recheckEvery');
    expect(configJsonSchema()).toMatchObject({ type: 'object', required: ['sources'] });
  });
});
