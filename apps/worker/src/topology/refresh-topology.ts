import type { Device, Tunnel } from '@tidegate/outbound';
import { applyTopology, type TopologyTunnel } from '@tidegate/store';
import type { WorkerContext } from '../worker-context.ts';
import type { EdgeFinder } from './find-edges.ts';
import { type Listed, toIdentity, toName } from './identify-listed.ts';

/** What one poll listed, as it is known in one source group. */
export interface ListedAccount {
  readonly group: string;
  readonly devices: readonly Listed<Device>[];
  /** Null when the list of tunnels could not be had. */
  readonly tunnels: readonly Listed<Tunnel>[] | null;
}

/**
 * Writes names and edges down for one source group: of devices that a service names or that were seen in the group, and of
 * their tunnels. What is known already is not written again, and what the API does not tell changes nothing. A device whose
 * tunnels could not be had stays unlinked: linked without its edges, its Disconnected would shut nothing (I2).
 * @returns whether anything was written, and how many services got other edges
 */
export async function refreshTopology(
  context: WorkerContext,
  edges: EdgeFinder,
  { group, devices, tunnels }: ListedAccount,
): Promise<{ written: boolean; relinked: number }> {
  const relevant = findRelevant(context, group, devices);
  if (relevant.length === 0) return { written: false, relinked: 0 };
  const { owners, unsure } = await findEdges(edges, relevant, tunnels);
  const owned = (tunnels ?? []).flatMap((tunnel) => {
    const device = owners.get(tunnel.id);
    return device === undefined ? [] : [{ tunnel, device }];
  });
  const staleTunnels = owned.filter(({ tunnel, device }) => isStale(tunnel, relevant[device]?.subject?.id ?? null));
  const needed = new Set(staleTunnels.map(({ device }) => device));
  const written = relevant
    .map((device, index) => ({ device, index }))
    .filter(
      ({ device, index }) => needed.has(index) || (isStale(device, null) && (isLinked(device) || !unsure.has(index))),
    );
  if (written.length === 0) return { written: false, relinked: 0 };
  await context.sealer.ready();
  const place = new Map(written.map(({ index }, position) => [index, position]));
  const changed = await applyTopology(
    context.sql,
    group,
    written.map(({ device }) => ({
      identity: toIdentity(context, { group, type: 'device' }, device),
      name: device.name,
    })),
    staleTunnels.map(
      ({ tunnel, device }): TopologyTunnel => ({
        identity: toIdentity(context, { group, type: 'tunnel' }, tunnel),
        device: place.get(device) ?? 0,
        name: tunnel.name,
      }),
    ),
  );
  return { written: true, relinked: changed.length };
}

function findEdges(edges: EdgeFinder, devices: readonly Listed<Device>[], tunnels: ListedAccount['tunnels']) {
  if (tunnels === null) return { owners: new Map<string, number>(), unsure: new Set(devices.keys()) };
  return edges.find(devices, tunnels);
}

function isLinked<T>({ subject }: Listed<T>): boolean {
  return subject?.linked ?? false;
}

function findRelevant({ config }: WorkerContext, group: string, devices: readonly Listed<Device>[]) {
  const wanted = new Set(
    config.services.filter((service) => service.group === group).map((service) => toName(service.device)),
  );
  wanted.delete(null);
  return devices.filter(({ subject, name }) => subject !== null || (name !== null && wanted.has(name)));
}

/** @param deviceId the row its edge leads to; null for a device, or when that is not known yet */
function isStale<T>({ subject, name }: Listed<T>, deviceId: number | null): boolean {
  if (subject === null || !subject.linked) return true;
  return (name !== null && name !== subject.name) || (deviceId !== null && deviceId !== subject.deviceId);
}
