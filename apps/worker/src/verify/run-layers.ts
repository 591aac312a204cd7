import type { ControlOutcome, Layer, LayerResult } from '@tidegate/core';
import type { ProbeClient } from '@tidegate/outbound';
import type { Config } from '@tidegate/runtime';
import type { ClaimedVerification } from '@tidegate/store';
import type { AccountReader } from '../topology/read-account.ts';
import { judgeDevice, judgeTunnel } from './judge-account.ts';

type ServiceConfig = Config['services'][number];
type UrlProbe = NonNullable<ServiceConfig['probes']['public']>;

export interface LayerSources {
  readonly probes: ProbeClient;
  readonly account: AccountReader | null;
  /** Bounds calls in flight per destination. */
  readonly budget: <T>(key: string, call: () => Promise<T>) => Promise<T>;
}

export interface LayerTimeouts {
  readonly timeoutMs: number;
  /** The tunnel edge may take half a minute to say that the app behind it is gone. */
  readonly edgeTimeoutMs: number;
}

/** The six results, and the names of dependencies that the readiness answer calls degraded. */
export interface LayerRun {
  readonly layers: LayerResult[];
  readonly degraded: readonly string[];
}

/** Runs the six layers of one service, all of them each time and independent ones in parallel. Never rejects for a layer. */
export async function runLayers(
  sources: LayerSources,
  service: ServiceConfig,
  run: ClaimedVerification,
  timeouts: LayerTimeouts,
): Promise<LayerRun> {
  const { probes } = service;
  const degraded: string[] = [];
  const layers = await Promise.all([
    runLocal(sources, 'local_liveness', probes.liveness, timeouts.timeoutMs),
    runLocal(sources, 'local_readiness', probes.readiness, timeouts.timeoutMs, (names) => degraded.push(...names)),
    runDevice(sources, run),
    runTunnel(sources, run),
    runUrl(sources, 'public', probes.public, timeouts.edgeTimeoutMs),
    runUrl(sources, 'application', probes.application, timeouts.edgeTimeoutMs),
  ]);
  return { layers, degraded };
}

/** Asks the control probe, a place that should always answer, whether our own way out works. */
export async function runControl(
  sources: LayerSources,
  url: string | null,
  timeoutMs: number,
): Promise<ControlOutcome> {
  if (url === null) return 'not_configured';
  const expect = { status: 200, bodyIncludes: null, nonce: false };
  const outcome = await sources.budget(originOf(url), () =>
    sources.probes.get({ url, headers: {}, expect, timeoutMs }),
  );
  // `unknown` means that it could not be asked (a refused address): that proves nothing about our way out.
  if (outcome.outcome === 'unknown') return 'not_configured';
  return outcome.status === null ? 'failed' : 'passed';
}

async function runLocal(
  sources: LayerSources,
  layer: Layer,
  probe: ServiceConfig['probes']['liveness'],
  timeoutMs: number,
  onDegraded?: (names: readonly string[]) => void,
): Promise<LayerResult> {
  if (probe !== null && 'reporter' in probe) {
    return {
      layer,
      outcome: 'unknown',
      reason: 'reporter_silent',
      latencyMs: null,
      detail: 'No report from the host for this run.',
    };
  }
  return runUrl(sources, layer, probe, timeoutMs, onDegraded);
}

async function runUrl(
  sources: LayerSources,
  layer: Layer,
  probe: UrlProbe | null,
  timeoutMs: number,
  onDegraded?: (names: readonly string[]) => void,
): Promise<LayerResult> {
  if (probe === null) return skipped(layer);
  const { outcome, reason, latencyMs, detail, degraded } = await sources.budget(originOf(probe.url), () =>
    sources.probes.get({ url: probe.url, headers: probe.headers, expect: probe.expect, timeoutMs }),
  );
  if (onDegraded !== undefined && degraded !== null) {
    onDegraded(degraded);
    return { layer, outcome, reason: 'degraded', latencyMs, detail: 'Ready, but it calls itself degraded.' };
  }
  return { layer, outcome, reason, latencyMs, detail };
}

async function runDevice({ account }: LayerSources, run: ClaimedVerification): Promise<LayerResult> {
  if (account === null || (run.deviceFingerprint === null && !run.namesDevice)) return skipped('device');
  if (run.deviceFingerprint === null) {
    return {
      layer: 'device',
      outcome: 'unknown',
      reason: 'not_linked',
      latencyMs: null,
      detail: 'API v2 has not named this device yet.',
    };
  }
  const listed = await account.devices();
  return judgeDevice(
    listed,
    listed.ok ? await listed.value.find(run.group, run.deviceFingerprint, run.deviceFingerprintVersion ?? 0) : null,
  );
}

async function runTunnel({ account }: LayerSources, run: ClaimedVerification): Promise<LayerResult> {
  if (account === null || run.tunnelFingerprint === null) return skipped('tunnel');
  const listed = await account.tunnels();
  return judgeTunnel(
    listed,
    listed.ok ? await listed.value.find(run.group, run.tunnelFingerprint, run.tunnelFingerprintVersion ?? 0) : null,
  );
}

function skipped(layer: Layer): LayerResult {
  return { layer, outcome: 'skipped', reason: 'not_configured', latencyMs: null, detail: 'Not configured.' };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'invalid';
}
