import type { World } from '@tidegate/simulator';

/** The service that every config of `stackConfig` has. */
export const SERVICE = 'research-agent';
/** Its source. */
export const SOURCE = 'home-lab';

export interface ConfigChanges {
  readonly source?: object;
  /** Merged into the default policy, section by section. */
  readonly policy?: Readonly<Record<string, unknown>>;
  /** Further policies, each merged into the same. */
  readonly policies?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Beside `research-agent`. */
  readonly services?: readonly object[];
  readonly service?: object;
  readonly sections?: object;
}

const FAST = {
  openAfter: '1s',
  maxWait: '5s',
  // Several outages of one device in one test are not an unstable connection.
  flap: { opensAt: 100, settlesAt: 10 },
  verify: { passes: 2, every: '400ms', timeout: '2s', edgeTimeout: '4s', recheckEvery: '60s' },
  release: { retry: { attempts: 8, baseDelay: '200ms', maxDelay: '1s', maxElapsed: '5m' } },
};

/** A config for one service of a world, all six layers configured, with waits short enough for a test. */
export function stackConfig(world: World, changes: ConfigChanges = {}): object {
  const { probeUrls } = world;
  return {
    sources: [{ name: SOURCE, group: SOURCE, timeZone: 'UTC', watch: 'linked', ...changes.source }],
    localtonet: { baseUrl: world.account.baseUrl, apiKey: world.apiKey, pollEvery: '60s' },
    services: [
      {
        name: SERVICE,
        source: SOURCE,
        device: world.deviceName,
        tunnel: world.tunnelId,
        probes: {
          liveness: { url: probeUrls.liveness },
          readiness: { url: probeUrls.readiness },
          public: { url: probeUrls.public, expect: { status: 200, bodyIncludes: 'ok' } },
          application: { url: probeUrls.application, headers: { authorization: `Bearer ${world.probeToken}` } },
        },
        ...changes.service,
      },
      ...(changes.services ?? []),
    ],
    policies: Object.fromEntries(
      Object.entries({ default: changes.policy ?? {}, ...changes.policies }).map(([name, policy]) => [
        name,
        mergeSections(FAST, policy),
      ]),
    ),
    outbound: { probes: { allowPrivate: ['127.0.0.1/32'] }, callbacks: { allowPrivate: ['127.0.0.1/32'] } },
    ...changes.sections,
  };
}

function mergeSections(base: Readonly<Record<string, unknown>>, changes: Readonly<Record<string, unknown>>): object {
  const merged = { ...base };
  for (const [name, value] of Object.entries(changes)) {
    const before = merged[name];
    merged[name] = isSection(before) && isSection(value) ? mergeSections(before, value) : value;
  }
  return merged;
}

function isSection(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
