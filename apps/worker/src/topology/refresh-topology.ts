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
 * @returns false when something was not answered, and it must be asked again
 */
export async function refreshTopology(context: WorkerContext): Promise<boolean> {
  const { localtonet, config, log } = context;
  if (localtonet === null) return false;
  const listed = await localtonet.listDevices();
  if (!listed.ok) {
    log.warn('topology.refreshed', { outcome: listed.reason });
    return false;
  }
  const tunnels = await localtonet.listTunnels();
  if (!tunnels.ok) {
    log.warn('topology.refreshed', { outcome: tunnels.reason });
    return false;
  }
  const changed: number[] = [];
  let whole = true;
  for (const group of new Set(config.sources.map((source) => source.group))) {
    const devices = await relevantDevices(context, group, listed.value);
    if (devices.length === 0) continue;
    const known = await withTunnels(context, localtonet, group, devices, tunnels.value);
    whole &&= known.devices.length === devices.length;
    changed.push(...(await applyTopology(context.sql, group, known.devices, known.tunnels)));
  }
  log.info('topology.refreshed', {
    outcome: whole ? 'ok' : 'partial',
    devices: listed.value.length,
    changed: changed.length,
  });
  return whole;
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

/**
 * The devices whose tunnels are known, with those tunnels. A device whose tunnels could not be had stays unlinked: linked
 * without its edges, its Disconnected would shut nothing (I2).
 */
async function withTunnels(
  context: WorkerContext,
  localtonet: LocaltonetClient,
  group: string,
  devices: readonly RelevantDevice[],
  listed: readonly Tunnel[],
): Promise<{ devices: TopologyDevice[]; tunnels: TopologyTunnel[] }> {
  const known: { devices: TopologyDevice[]; tunnels: TopologyTunnel[] } = { devices: [], tunnels: [] };
  for (const { device, identity } of devices) {
    const own = await ownTunnels(localtonet, listed, device.token);
    if (own === null) continue;
    const index = known.devices.push({ identity, name: toName(device.name) }) - 1;
    for (const tunnel of own) {
      known.tunnels.push({
        identity: identify(context, group, 'tunnel', tunnel.id),
        device: index,
        name: toName(tunnel.title),
      });
    }
  }
  return known;
}

/** From the list when it names devices; only an API that does not is asked with the token in the path. Null: not answered. */
async function ownTunnels(
  localtonet: LocaltonetClient,
  listed: readonly Tunnel[],
  token: string,
): Promise<readonly Tunnel[] | null> {
  if (listed.some((tunnel) => tunnel.deviceToken !== null))
    return listed.filter((tunnel) => tunnel.deviceToken === token);
  const own = await localtonet.tunnelsOfDevice(token);
  return own.ok ? own.value : null;
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
