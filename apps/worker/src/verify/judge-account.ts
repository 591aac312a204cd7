import type { LayerReason, LayerResult } from '@tidegate/core';
import type { Device, LocaltonetFailure, LocaltonetResult, Tunnel } from '@tidegate/outbound';

/** The device layer: `clientIsOnline` of API v2. No answer, or no such device in it, is unknown, never a fail. */
export function judgeDevice(listed: LocaltonetResult<unknown>, device: Device | null): LayerResult {
  if (!listed.ok) return unanswered('device', listed.reason, listed.latencyMs);
  if (device === null) return unanswered('device', 'not_found', listed.latencyMs);
  if (device.online === null) return unanswered('device', 'malformed', listed.latencyMs);
  return device.online
    ? {
        layer: 'device',
        outcome: 'pass',
        reason: 'ok',
        latencyMs: listed.latencyMs,
        detail: 'Localtonet says the device is online.',
      }
    : {
        layer: 'device',
        outcome: 'fail',
        reason: 'client_offline',
        latencyMs: listed.latencyMs,
        detail: 'Localtonet says the device is offline.',
      };
}

/** The tunnel layer: `status` and `connectionStatus` of API v2; both are named, since a started tunnel may be unconnected. */
export function judgeTunnel(listed: LocaltonetResult<unknown>, tunnel: Tunnel | null): LayerResult {
  if (!listed.ok) return unanswered('tunnel', listed.reason, listed.latencyMs);
  if (tunnel === null) return unanswered('tunnel', 'not_found', listed.latencyMs);
  const detail = `Localtonet says status ${word(tunnel.started, 'started', 'stopped')}, connection ${word(tunnel.connected, 'up', 'down')}.`;
  const known = { layer: 'tunnel', latencyMs: listed.latencyMs, detail } as const;
  if (tunnel.started === false) return { ...known, outcome: 'fail', reason: 'tunnel_stopped' };
  if (tunnel.connected === false) return { ...known, outcome: 'fail', reason: 'tunnel_not_connected' };
  if (tunnel.started === null && tunnel.connected === null)
    return { ...known, outcome: 'unknown', reason: 'malformed' };
  return { ...known, outcome: 'pass', reason: 'ok' };
}

function word(value: boolean | null, yes: string, no: string): string {
  if (value === null) return 'not told';
  return value ? yes : no;
}

function unanswered(layer: 'device' | 'tunnel', reason: LocaltonetFailure, latencyMs: number): LayerResult {
  return { layer, outcome: 'unknown', reason: reason satisfies LayerReason, latencyMs, detail: SENTENCES[reason] };
}

const SENTENCES: Record<LocaltonetFailure, string> = {
  unauthorized: 'Localtonet refused the API key (401).',
  forbidden: 'Localtonet refused the API key (403).',
  not_found: 'Localtonet does not list it for this API key.',
  rate_limited: 'Localtonet asked us to slow down (429).',
  server_error: 'Localtonet failed to answer (5xx).',
  timeout: 'Localtonet did not answer in time.',
  unreachable: 'Localtonet could not be reached.',
  address_denied: 'The address of the Localtonet API is not allowed.',
  malformed: 'Localtonet answered something that could not be read.',
};
