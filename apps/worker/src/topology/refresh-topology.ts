import { publicTunnelId, sanitizeName } from '@tidegate/core';
import type { Device, LocaltonetClient, Tunnel } from '@tidegate/outbound';
import {
  applyTopology,
  findSubjects,
  type SubjectIdentity,
  type TopologyDevice,
  type TopologyTunnel,
} from '@tidegate/store';
import { fingerprintSubject, newAlias } from '@tidegate/vault';
import type { WorkerContext } from '../worker-context.ts';

/**
 * Asks API v2 for names and edges and writes them down for each source group: devices that a service names or that were
 * seen in the group, and their tunnels. What the API does not answer changes nothing.
 * @returns false when the list of devices could not be had
 */
export async function refreshTopology(context: WorkerContext): Promise<boolean> {
  const { localtonet, config, log } = context;
  if (localtonet === null) return false;
  const listed = await localtonet.listDevices();
  if (!listed.ok) {
    log.warn('topology.refreshed', { outcome: listed.reason });
    return false;
  }
  const changed: number[] = [];
  for (const group of new Set(config.sources.map((source) => source.group))) {
    const devices = await relevantDevices(context, group, listed.value);
    if (devices.length === 0) continue;
    const tunnels = await tunnelsOf(context, localtonet, group, devices);
    const named = devices.map(({ device, identity }): TopologyDevice => ({ identity, name: toName(device.name) }));
    changed.push(...(await applyTopology(context.sql, group, named, tunnels)));
  }
  log.info('topology.refreshed', { outcome: 'ok', devices: listed.value.length, changed: changed.length });
  return true;
}

interface RelevantDevice {
  readonly device: Device;
  readonly identity: SubjectIdentity;
}

async function relevantDevices(
  context: WorkerContext,
  group: string,
  devices: readonly Device[],
): Promise<RelevantDevice[]> {
  const wanted = new Set(
    context.config.services.filter((service) => service.group === group).map((service) => service.device),
  );
  await context.sealer.ready();
  const identified = devices.map((device) => ({ device, identity: identify(context, group, 'device', device.token) }));
  const known = await findSubjects(
    context.sql,
    identified.map(({ identity }) => identity.fingerprint),
  );
  return identified.filter(({ device }, index) => known[index] === true || wanted.has(toName(device.name)));
}

async function tunnelsOf(
  context: WorkerContext,
  localtonet: LocaltonetClient,
  group: string,
  devices: readonly RelevantDevice[],
): Promise<TopologyTunnel[]> {
  const listed = await localtonet.listTunnels();
  const all = listed.ok ? listed.value : [];
  const tunnels: TopologyTunnel[] = [];
  for (const [index, { device }] of devices.entries()) {
    for (const tunnel of await ownTunnels(localtonet, all, device.token)) {
      tunnels.push({
        identity: identify(context, group, 'tunnel', tunnel.id),
        device: index,
        name: toName(tunnel.title),
      });
    }
  }
  return tunnels;
}

/** From the list when it names the device; only an API that does not is asked with the token in the path. */
async function ownTunnels(
  localtonet: LocaltonetClient,
  all: readonly Tunnel[],
  token: string,
): Promise<readonly Tunnel[]> {
  if (all.some((tunnel) => tunnel.deviceToken !== null)) return all.filter((tunnel) => tunnel.deviceToken === token);
  const own = await localtonet.tunnelsOfDevice(token);
  return own.ok ? own.value : [];
}

function identify(
  { keyring, sealer }: WorkerContext,
  group: string,
  type: 'device' | 'tunnel',
  id: string,
): SubjectIdentity {
  const alias = newAlias(type === 'device' ? 'dev' : 'tun');
  const publicId = publicTunnelId(type, id);
  const sealedId = publicId === null ? sealer.seal(id, { row: alias, purpose: 'subject-id' }) : null;
  return { group, type, fingerprint: fingerprintSubject(keyring, { group, type, id }), alias, publicId, sealedId };
}

function toName(raw: string | null) {
  const name = raw === null ? null : sanitizeName(raw);
  return name === null || name === '' ? null : name;
}
