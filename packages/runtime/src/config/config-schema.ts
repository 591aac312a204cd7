import { z } from 'zod';
import {
  count,
  duration,
  headers,
  httpUrl,
  name,
  network,
  origin,
  pathSecret,
  period,
  text,
  timeZone,
} from './config-fields.ts';
import { notifySchema, SEVERITIES } from './notify-schema.ts';

const sourceSchema = z.strictObject({
  name: name(),
  group: name().optional(),
  timeZone: timeZone().default('UTC'),
  watch: z.enum(['linked', 'all']).default('linked'),
  secret: pathSecret().optional(),
});

const localtonetSchema = z.strictObject({
  baseUrl: httpUrl().default('https://localtonet.com/api/v2'),
  apiKey: text(512).optional(),
  // More often would only use up what the account may ask.
  pollEvery: duration(1000).prefault('60s'),
});

const expectSchema = z.strictObject({
  status: count(100, 599).default(200),
  bodyIncludes: text(1024).optional(),
  nonce: z.boolean().default(false),
});

const urlProbeSchema = z.strictObject({
  url: httpUrl(),
  headers: headers().default({}),
  expect: expectSchema.prefault({}),
});

/** A url or a reporter, exactly one; checked by hand, because a failed union cannot say which key is wrong. */
const localProbeSchema = z.strictObject({
  url: httpUrl().optional(),
  headers: headers().optional(),
  expect: expectSchema.optional(),
  reporter: name().optional(),
});

const serviceSchema = z.strictObject({
  name: name(),
  source: name(),
  device: text(200).optional(),
  tunnel: text(200).optional(),
  probes: z
    .strictObject({
      liveness: localProbeSchema.optional(),
      readiness: localProbeSchema.optional(),
      public: urlProbeSchema.optional(),
      application: urlProbeSchema.optional(),
    })
    .default({}),
  policy: name().default('default'),
  severity: z.enum(SEVERITIES).default('critical'),
  essential: z.array(name()).default([]),
  callbackOrigins: z.array(origin()).default([]),
  signingSecret: text(256).optional(),
});

const retrySchema = z
  .strictObject({
    attempts: count(1, 100).default(8),
    baseDelay: duration(1).prefault('1s'),
    maxDelay: duration(1).prefault('5m'),
    maxElapsed: duration(1).prefault('24h'),
  })
  .prefault({});

const policySchema = z.strictObject({
  openAfter: duration(0).prefault('20s'),
  maxWait: duration(0).prefault('2m'),
  reopenWithin: duration(0).prefault('10m'),
  flap: z
    .strictObject({
      window: duration(1).prefault('10m'),
      opensAt: count(2, 1000).default(4),
      settlesAt: count(0, 999).default(1),
    })
    .prefault({}),
  verify: z
    .strictObject({
      passes: count(1, 20).default(2),
      every: duration(1).prefault('5s'),
      timeout: duration(1).prefault('5s'),
      edgeTimeout: duration(1).prefault('35s'),
      recheckEvery: duration(1).prefault('5m'),
    })
    .prefault({}),
  release: z
    .strictObject({
      canary: count(1, 1000).default(1),
      maxPerSecond: z.number().min(0.01).max(10_000).default(20),
      retry: retrySchema,
    })
    .prefault({}),
});

type ParsedPolicies = Record<string, z.output<typeof policySchema>>;

function withDefaultPolicy(policies: ParsedPolicies): ParsedPolicies {
  return { default: policySchema.parse({}), ...policies };
}

const massSchema = z
  .strictObject({
    window: duration(1).prefault('30s'),
    minDevices: count(2, 1_000_000).default(5),
    fraction: z.number().min(0.01).max(1).default(0.5),
  })
  .prefault({});

const receiverSchema = z
  .strictObject({
    publicUrl: httpUrl().optional(),
    trustedProxies: z.array(network({ port: false })).default([]),
    skewBound: duration(0).prefault('2m'),
    silentAfter: duration(1).prefault('5s'),
    retireAfter: period().prefault('24h'),
    allowFrom: z.array(network({ port: false })).default([]),
    rateLimit: z.strictObject({ perSecond: count(1, 1_000_000), burst: count(1, 1_000_000) }).optional(),
    allowSelfDependency: z.boolean().default(false),
  })
  .prefault({});

const outboundSchema = z
  .strictObject({
    probes: z
      .strictObject({
        allowPrivate: z.array(network({ port: true })).default([]),
        control: z.strictObject({ url: httpUrl() }).optional(),
      })
      .prefault({}),
    callbacks: z.strictObject({ allowPrivate: z.array(network({ port: true })).default([]) }).prefault({}),
  })
  .prefault({});

const retentionSchema = z
  .strictObject({
    observations: period().prefault('90d'),
    incidents: period().prefault('365d'),
    verifications: period().prefault('30d'),
    callbacks: period().prefault('30d'),
    idempotency: period().prefault('7d'),
    quarantine: period().prefault('30d'),
    /** A chain of rows cannot lose its oldest one and still be proved whole. */
    audit: z.literal('never').default('never'),
  })
  .prefault({});

const deadManSchema = z.strictObject({ url: httpUrl(), every: duration(1000).prefault('60s') });

const tracesSchema = z.strictObject({
  url: httpUrl(),
  headers: headers().default({}),
  allowPrivate: z.array(network({ port: true })).default([]),
});

/** The shape of `tidegate.yaml`. Unknown keys are errors; durations come out in milliseconds under their own names. */
export const configSchema = z.strictObject({
  sources: z.array(sourceSchema).min(1),
  localtonet: localtonetSchema.optional(),
  services: z.array(serviceSchema).default([]),
  policies: z.record(name(), policySchema).prefault({}).transform(withDefaultPolicy),
  mass: massSchema,
  receiver: receiverSchema,
  outbound: outboundSchema,
  retention: retentionSchema,
  notify: notifySchema,
  deadMan: deadManSchema.optional(),
  traces: tracesSchema.optional(),
});

export type ParsedConfig = z.output<typeof configSchema>;
export type ParsedService = ParsedConfig['services'][number];
export type ParsedPolicy = ParsedConfig['policies'][string];
