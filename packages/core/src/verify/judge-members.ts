import type { LayerResult } from '../model/verification.ts';

/** How many subjects of one type API v2 listed as connected, as disconnected, and not at all (or without saying). */
export interface MemberCount {
  readonly connected: number;
  readonly disconnected: number;
  readonly unlisted: number;
}

/** The subjects of an incident that no service depends on, as one poll of API v2 listed them. */
export interface ListedMembers {
  readonly devices: MemberCount;
  readonly tunnels: MemberCount;
}

/**
 * The device and tunnel layers of an incident without services. A tunnel that is no longer listed while its device is
 * connected was deleted and keeps nothing down; anything else unlisted is unknown, never a fail. Source: DESIGN §6.
 */
export function judgeMembers({ devices, tunnels }: ListedMembers): LayerResult[] {
  const deleted = devices.connected > 0 && devices.unlisted === 0 ? tunnels.unlisted : 0;
  return [
    judge('device', devices, 'client_offline'),
    judge('tunnel', { ...tunnels, unlisted: tunnels.unlisted - deleted }, 'tunnel_not_connected'),
  ];
}

function judge(layer: 'device' | 'tunnel', count: MemberCount, broken: LayerResult['reason']): LayerResult {
  const { connected, disconnected, unlisted } = count;
  const all = connected + disconnected + unlisted;
  const detail = `Localtonet lists ${connected} of ${all} ${layer}${all === 1 ? '' : 's'} as connected.`;
  const result = { layer, latencyMs: null, detail };
  if (disconnected > 0) return { ...result, outcome: 'fail', reason: broken };
  if (unlisted > 0) return { ...result, outcome: 'unknown', reason: 'not_found' };
  if (all === 0) return { ...result, outcome: 'skipped', reason: 'not_configured' };
  return { ...result, outcome: 'pass', reason: 'ok' };
}
