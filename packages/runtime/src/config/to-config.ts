import type {
  AppName,
  Config,
  PolicyConfig,
  ProbesConfig,
  ReporterProbeConfig,
  ServiceConfig,
  UrlProbeConfig,
} from './config.ts';
import type { ParsedConfig, ParsedPolicy, ParsedService } from './config-schema.ts';
import type { DefaultTaken } from './list-defaults.ts';
import { ownsPath } from './resolve-values.ts';
import { toNotify } from './to-notify.ts';

/** The config as one app sees it: derived names filled in, credentials of other apps taken out (I3). */
export function toConfig(
  parsed: ParsedConfig,
  app: AppName,
  file: string,
  defaultsTaken: readonly DefaultTaken[],
): Config {
  const groups = new Map(parsed.sources.map(({ name, group }) => [name, group ?? name]));
  const { localtonet, mass, receiver, outbound, retention } = parsed;
  return {
    file,
    sources: parsed.sources.map(({ name, group, timeZone, watch, secret }) => ({
      name,
      group: group ?? name,
      timeZone,
      watch,
      secret: ownsPath(app, ['sources', 0, 'secret']) ? (secret ?? null) : null,
    })),
    localtonet:
      localtonet === undefined
        ? null
        : {
            baseUrl: localtonet.baseUrl,
            apiKey: ownsPath(app, ['localtonet', 'apiKey']) ? (localtonet.apiKey ?? null) : null,
            pollEveryMs: localtonet.pollEvery,
          },
    services: parsed.services.map((service) => toService(service, app, groups.get(service.source) ?? service.source)),
    policies: toPolicies(parsed.policies),
    mass: toMass(mass),
    receiver: {
      publicUrl: receiver.publicUrl ?? null,
      trustedProxies: receiver.trustedProxies,
      skewBoundMs: receiver.skewBound,
      silentAfterMs: receiver.silentAfter,
      retireAfterMs: receiver.retireAfter,
      allowFrom: receiver.allowFrom,
      rateLimit: receiver.rateLimit ?? null,
      allowSelfDependency: receiver.allowSelfDependency,
    },
    outbound: {
      probes: { allowPrivate: outbound.probes.allowPrivate, control: outbound.probes.control ?? null },
      callbacks: { allowPrivate: outbound.callbacks.allowPrivate },
    },
    retention: {
      observationsMs: retention.observations,
      incidentsMs: retention.incidents,
      verificationsMs: retention.verifications,
      callbacksMs: retention.callbacks,
      idempotencyMs: retention.idempotency,
      quarantineMs: retention.quarantine,
    },
    notify: toNotify(parsed.notify, app),
    deadMan: toDeadMan(parsed.deadMan, app),
    traces: toTraces(parsed.traces, app),
    defaultsTaken,
  };
}

function toDeadMan(parsed: ParsedConfig['deadMan'], app: AppName): Config['deadMan'] {
  if (parsed === undefined) return null;
  return { url: ownsPath(app, ['deadMan', 'url']) ? parsed.url : null, everyMs: parsed.every };
}

function toTraces(parsed: ParsedConfig['traces'], app: AppName): Config['traces'] {
  if (parsed === undefined) return null;
  const owns = ownsPath(app, ['traces', 'url']);
  return { url: owns ? parsed.url : null, headers: owns ? parsed.headers : {}, allowPrivate: parsed.allowPrivate };
}

function toService(service: ParsedService, app: AppName, group: string): ServiceConfig {
  return {
    name: service.name,
    source: service.source,
    group,
    device: service.device ?? null,
    tunnel: service.tunnel ?? null,
    probes: toProbes(service.probes, app),
    policy: service.policy,
    severity: service.severity,
    essential: service.essential,
    callbackOrigins: service.callbackOrigins,
    signingSecret: ownsPath(app, ['services', 0, 'signingSecret']) ? (service.signingSecret ?? null) : null,
  };
}

function toProbes(probes: ParsedService['probes'], app: AppName): ProbesConfig {
  return {
    liveness: toProbe(probes.liveness, app),
    readiness: toProbe(probes.readiness, app),
    public: toUrlProbe(probes.public, app),
    application: toUrlProbe(probes.application, app),
  };
}

type ParsedLocalProbe = ParsedService['probes']['liveness'];

function toProbe(probe: ParsedLocalProbe, app: AppName): UrlProbeConfig | ReporterProbeConfig | null {
  return probe?.reporter === undefined ? toUrlProbe(probe, app) : { reporter: probe.reporter };
}

function toUrlProbe(probe: ParsedLocalProbe, app: AppName): UrlProbeConfig | null {
  if (probe?.url === undefined) {
    return null;
  }
  const { status = 200, bodyIncludes = null, nonce = false } = probe.expect ?? {};
  const ownsHeaders = ownsPath(app, ['services', 0, 'probes', 'public', 'headers', 'authorization']);
  return {
    url: probe.url,
    headers: ownsHeaders ? (probe.headers ?? {}) : {},
    expect: { status, bodyIncludes, nonce },
  };
}

export function toPolicies(policies: ParsedConfig['policies']): Config['policies'] {
  return Object.fromEntries(Object.entries(policies).map(([name, policy]) => [name, toPolicy(policy)]));
}

export function toMass({ window, minDevices, fraction }: ParsedConfig['mass']): Config['mass'] {
  return { windowMs: window, minDevices, fraction };
}

function toPolicy({ flap, verify, release, ...policy }: ParsedPolicy): PolicyConfig {
  const { retry } = release;
  return {
    openAfterMs: policy.openAfter,
    maxWaitMs: policy.maxWait,
    reopenWithinMs: policy.reopenWithin,
    flap: { windowMs: flap.window, opensAt: flap.opensAt, settlesAt: flap.settlesAt },
    verify: {
      passes: verify.passes,
      everyMs: verify.every,
      timeoutMs: verify.timeout,
      edgeTimeoutMs: verify.edgeTimeout,
      recheckEveryMs: verify.recheckEvery,
    },
    release: {
      canary: release.canary,
      maxPerSecond: release.maxPerSecond,
      retry: {
        attempts: retry.attempts,
        baseDelayMs: retry.baseDelay,
        maxDelayMs: retry.maxDelay,
        maxElapsedMs: retry.maxElapsed,
      },
    },
  };
}
