import type { World } from '@tidegate/simulator';

/** The config of the demo: one agent behind one tunnel, with thresholds short enough to watch. All credentials are invented. */
export function demoConfig(world: World): string {
  const { probeUrls } = world;
  return `# Written by the demo for its simulated world; look at it as an example of all six layers.
sources:
  - { name: demo, group: demo, timeZone: UTC, watch: linked }
localtonet: { baseUrl: "${world.account.baseUrl}", apiKey: "${world.apiKey}", pollEvery: 60s }
services:
  - name: research-agent
    source: demo
    device: ${world.deviceName}
    tunnel: "${world.tunnelId}"
    probes:
      liveness: { url: "${probeUrls.liveness}" }
      readiness: { url: "${probeUrls.readiness}" }
      public: { url: "${probeUrls.public}", expect: { status: 200, bodyIncludes: ok } }
      application: { url: "${probeUrls.application}", headers: { authorization: "Bearer ${world.probeToken}" }, expect: { status: 200 } }
    policy: default
policies:
  default:
    openAfter: 2s
    maxWait: 10s
    verify: { passes: 2, every: 1s, timeout: 2s, edgeTimeout: 5s }
outbound:
  probes: { allowPrivate: ["127.0.0.1/32"] }
  callbacks: { allowPrivate: ["127.0.0.1/32"] }
`;
}
