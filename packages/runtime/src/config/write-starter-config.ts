import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const STARTER = `# tidegate.yaml: what Tidegate watches, and when it lets callbacks go.
# \`tidegate check\` prints what is in effect and which defaults were taken. A value may name an environment variable, as
# \${NAME}. Durations are written as 250ms, 20s, 2m or 24h. Take away the # of a line to use it.

# One entry per Localtonet webhook. The path secret of its URL is generated on first start, unless you give one with
# secret: \${HOOK_SECRET}. Webhooks of one token group share a \`group\`. watch: all opens incidents for everything seen,
# watch: linked only for what a service below names. timeZone is for dates that Localtonet sends without a zone.
sources:
  - name: default
    timeZone: UTC
    watch: all

# With an API key (worker only) Tidegate learns which token is which device and which tunnels it has, and verifies the
# device and tunnel layers; the account is asked every pollEvery, so that a lost webhook is found.
#localtonet:
#  apiKey: \${LOCALTONET_API_KEY}
#  pollEvery: 60s

# One entry per agent endpoint whose callbacks are gated. device is its name in Localtonet, never its token; tunnel its
# id. Configured probes must all pass before the gate opens again. One of a private address, 127.0.0.1 too, must be named
# under outbound.probes.allowPrivate, below.
services:
#  - name: research-agent
#    source: default
#    device: mac-mini
#    tunnel: "298487"
#    probes:
#      liveness: { url: http://127.0.0.1:9000/livez }
#      readiness: { url: http://127.0.0.1:9000/readyz }
#      public: { url: https://abc.localto.net/healthz, expect: { status: 200, bodyIncludes: ok } }
#      application: { url: https://abc.localto.net/whoami, headers: { authorization: "Bearer \${AGENT_PROBE}" } }
#    policy: default
#    severity: critical # or warning, info: how much it matters, which notify.routes can sort by

# When an outage becomes an incident, how often to verify, how fast held callbacks go out, and how often one is tried.
#policies:
#  default:
#    openAfter: 20s
#    maxWait: 2m
#    reopenWithin: 10m
#    flap: { window: 10m, opensAt: 4, settlesAt: 1 }
#    verify: { passes: 2, every: 5s, timeout: 5s, edgeTimeout: 35s, recheckEvery: 5m }
#    release: { canary: 1, maxPerSecond: 20, retry: { attempts: 8, baseDelay: 1s, maxDelay: 5m, maxElapsed: 24h } }

# So many devices, and this part of all of them, lost within the window make one mass incident.
#mass: { window: 30s, minDevices: 5, fraction: 0.5 }

# The URL Localtonet reaches the receiver at, the proxies in front of it, and how far clocks may differ. A receiver that has
# not been heard for silentAfter holds every gate; after retireAfter it is no longer waited for.
#receiver: { publicUrl: https://hooks.example.org, trustedProxies: [], skewBound: 2m, silentAfter: 5s, retireAfter: 24h }

# Private networks that probes and callbacks may reach; everything private is refused otherwise.
#outbound: { probes: { allowPrivate: ["127.0.0.1/32"] }, callbacks: { allowPrivate: [] } }

# Who is told of incidents. Types: webhook, slack, discord, pagerduty, alertmanager, ntfy, smtp; where a channel leads is a
# secret, so name a variable. Without routes every channel is told everything. \`tidegate notify test phone\` tries one.
#notify:
#  channels:
#    phone: { type: pagerduty, routingKey: "\${PAGERDUTY_KEY}" }
#    chat: { type: slack, url: "\${SLACK_WEBHOOK_URL}" }
#  routes:
#    - { channels: [phone], severity: [critical] }
#    - { channels: [chat], during: [{ days: [mon, tue, wed, thu, fri], from: "09:00", to: "18:00", timeZone: Europe/Berlin }] }

# A service that raises the alarm when it hears nothing, as healthchecks.io: pinged only while the database, every receiver and
# the worker do their work. Its URL is a secret.
#deadMan: { url: "\${DEAD_MAN_URL}", every: 60s }

# Where traces go: a collector that takes OTLP over HTTP. Nothing is traced without it.
#traces: { url: "http://127.0.0.1:4318/v1/traces", allowPrivate: ["127.0.0.1/32:4318"] }

# How long things are kept, in days or hours. What something open refers to stays; rows of the audit trail always do.
#retention: { observations: 90d, incidents: 365d, verifications: 30d, callbacks: 30d, idempotency: 7d, quarantine: 30d }
`;

/**
 * Writes a commented config that works as it is: one source that watches all, no services. Creates missing folders, never
 * touches a file that exists. Resolves to whether it wrote.
 */
export async function writeStarterConfig(file: string): Promise<boolean> {
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(file, STARTER, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') {
      return false;
    }
    throw error;
  }
}
