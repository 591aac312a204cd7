import type { DefaultTaken } from './list-defaults.ts';
import type { NotifyConfig } from './notify-config.ts';
import type { RetryConfig } from './retry-config.ts';

/** The effective config, as one app sees it: durations in milliseconds, secrets of other apps left out. */
export interface Config {
  readonly file: string;
  readonly sources: readonly SourceConfig[];
  /** Null when the section is absent: nothing is polled, and the device and tunnel layers are skipped. */
  readonly localtonet: LocaltonetConfig | null;
  readonly services: readonly ServiceConfig[];
  /** Always holds `default`. */
  readonly policies: Readonly<Record<string, PolicyConfig>>;
  readonly mass: { readonly windowMs: number; readonly minDevices: number; readonly fraction: number };
  readonly receiver: ReceiverConfig;
  readonly outbound: OutboundConfig;
  readonly retention: RetentionConfig;
  readonly notify: NotifyConfig;
  /** Null when the section is absent. */
  readonly deadMan: DeadManConfig | null;
  /** Null when the section is absent: nothing is traced. */
  readonly traces: TracesConfig | null;
  /** What nobody chose; `tidegate check` shows it. */
  readonly defaultsTaken: readonly DefaultTaken[];
}

export interface SourceConfig {
  readonly name: string;
  /** Sources of one group are one origin; the source's name unless given. */
  readonly group: string;
  /** IANA zone that an ActionDate without a zone is read in. */
  readonly timeZone: string;
  readonly watch: 'linked' | 'all';
  /** Path secret given by the owner (receiver and cli only); null when it is generated. */
  readonly secret: string | null;
}

export interface LocaltonetConfig {
  readonly baseUrl: string;
  /** Worker only. */
  readonly apiKey: string | null;
  readonly pollEveryMs: number;
}

export interface ServiceConfig {
  readonly name: string;
  readonly source: string;
  /** The group of its source. */
  readonly group: string;
  /** A device's name in Localtonet, or its alias; never its token. */
  readonly device: string | null;
  readonly tunnel: string | null;
  readonly probes: ProbesConfig;
  readonly policy: string;
  /** How much it matters that it is cut off: routes and pagers sort by it. */
  readonly severity: 'critical' | 'warning' | 'info';
  /** Dependencies whose `degraded` in a readiness report fails the layer. */
  readonly essential: readonly string[];
  /** Origins that callbacks of this service may go to; empty allows any that the address guard allows. */
  readonly callbackOrigins: readonly string[];
  /** Signing secret of delivered callbacks (worker only); null when it is generated. */
  readonly signingSecret: string | null;
}

export interface ProbesConfig {
  readonly liveness: UrlProbeConfig | ReporterProbeConfig | null;
  readonly readiness: UrlProbeConfig | ReporterProbeConfig | null;
  readonly public: UrlProbeConfig | null;
  readonly application: UrlProbeConfig | null;
}

export interface UrlProbeConfig {
  /** Left as written, `${…}` included, in apps other than the worker. */
  readonly url: string;
  /** Empty in apps other than the worker: headers hold credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expect: { readonly status: number; readonly bodyIncludes: string | null; readonly nonce: boolean };
}

export interface ReporterProbeConfig {
  readonly reporter: string;
}

export interface PolicyConfig {
  readonly openAfterMs: number;
  readonly maxWaitMs: number;
  readonly reopenWithinMs: number;
  readonly flap: { readonly windowMs: number; readonly opensAt: number; readonly settlesAt: number };
  readonly verify: {
    readonly passes: number;
    readonly everyMs: number;
    readonly timeoutMs: number;
    readonly edgeTimeoutMs: number;
    readonly recheckEveryMs: number;
  };
  readonly release: { readonly canary: number; readonly maxPerSecond: number; readonly retry: RetryConfig };
}

export interface ReceiverConfig {
  readonly publicUrl: string | null;
  readonly trustedProxies: readonly string[];
  readonly skewBoundMs: number;
  /** A registered receiver that has not beaten for so long holds every gate. */
  readonly silentAfterMs: number;
  /** One that has not beaten for so long is no longer waited for, and every gate is verified anew. */
  readonly retireAfterMs: number;
  /** Addresses that may post; empty allows all. */
  readonly allowFrom: readonly string[];
  /** Per source; null is off. */
  readonly rateLimit: { readonly perSecond: number; readonly burst: number } | null;
  /** Lets `publicUrl` sit behind a tunnel that is watched. */
  readonly allowSelfDependency: boolean;
}

export interface OutboundConfig {
  readonly probes: { readonly allowPrivate: readonly string[]; readonly control: { readonly url: string } | null };
  readonly callbacks: { readonly allowPrivate: readonly string[] };
}

/** How long rows are kept. Rows of the audit trail always are. */
export interface RetentionConfig {
  readonly observationsMs: number;
  /** Resolved incidents with their timelines, and silences that are over. */
  readonly incidentsMs: number;
  readonly verificationsMs: number;
  /** Content and attempts of callbacks that are finished. */
  readonly callbacksMs: number;
  /** How long a finished callback's idempotency key is remembered at least. */
  readonly idempotencyMs: number;
  readonly quarantineMs: number;
}

export interface DeadManConfig {
  /** What is pinged while all is well; a secret (worker only), null in other apps. */
  readonly url: string | null;
  readonly everyMs: number;
}

export interface TracesConfig {
  /** Of the OTLP collector, path included; it may hold a secret (worker only), null in other apps. */
  readonly url: string | null;
  /** Empty in apps other than the worker: headers hold credentials. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowPrivate: readonly string[];
}

/** The apps that load a config; each resolves only its own part of the `${ENV}` references. */
export type AppName = 'receiver' | 'api' | 'worker' | 'cli';
