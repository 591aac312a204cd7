import type { Device, Tunnel } from '@tidegate/outbound';
import { type Keyring, lookupHash } from '@tidegate/vault';
import type { Listed } from './identify-listed.ts';
import type { AccountReader } from './read-account.ts';

/** Which device tunnels belong to. */
interface FoundEdges {
  /** The index of the device in the list given, by the tunnel's id. */
  readonly owners: ReadonlyMap<string, number>;
  /** Indexes of devices that may have tunnels which are not known to be theirs. */
  readonly unsure: ReadonlySet<number>;
}

export interface EdgeFinder {
  find(devices: readonly Listed<Device>[], tunnels: readonly Listed<Tunnel>[]): Promise<FoundEdges>;
}

/** When a device was last asked, and a sign of which tunnels belonged to no device then. */
interface Asked {
  readonly sign: string;
  readonly atMs: number;
}

/** Calls per poll: a large account is learnt over several polls rather than in one stampede. */
const MOST_ASKED = 200;
/** A device is asked again after this long although nothing speaks for it: a tunnel may have moved. */
const ASKED_AGAIN_MS = 900_000;

/**
 * Takes edges from the list of tunnels where it names devices. Only an API that does not is asked device by device, with the
 * token in the path, while there are tunnels that belong to no device: each device once for the same such tunnels. One
 * failed answer ends the asking until the next poll. What was asked is remembered by this process alone.
 */
export function createEdgeFinder(
  account: Pick<AccountReader, 'tunnelsOfDevice'>,
  keyring: Keyring,
  nowMs: () => number = () => performance.now(),
): EdgeFinder {
  const asked = new Map<string, Asked>();
  const startedAtMs = nowMs();
  return {
    async find(devices, tunnels) {
      if (tunnels.some(({ item }) => item.deviceToken !== null))
        return { owners: readEdges(devices, tunnels), unsure: new Set() };
      const homeless = tunnels.filter(({ subject }) => (subject?.deviceId ?? null) === null).map(({ id }) => id);
      const now = { sign: homeless.length === 0 ? null : signOf(keyring, homeless), atMs: nowMs(), startedAtMs };
      const owners = new Map<string, number>();
      const unsure = new Set(homeless.length === 0 ? [] : devices.keys());
      const answered: Listed<Device>[] = [];
      for (const { device, index } of choose(devices, asked, now)) {
        const own = await account.tunnelsOfDevice(device.item.token);
        if (!own.ok) break;
        answered.push(device);
        unsure.delete(index);
        for (const tunnel of own.value) owners.set(tunnel.id, index);
      }
      const sign = signOf(
        keyring,
        homeless.filter((id) => !owners.has(id)),
      );
      for (const device of answered) asked.set(keyOf(device), { sign, atMs: now.atMs });
      return { owners, unsure };
    },
  };
}

function readEdges(devices: readonly Listed<Device>[], tunnels: readonly Listed<Tunnel>[]): Map<string, number> {
  const indexOf = new Map(devices.map(({ item }, index) => [item.token, index]));
  return new Map(
    tunnels.flatMap(({ id, item }) => {
      const index = item.deviceToken === null ? undefined : indexOf.get(item.deviceToken);
      return index === undefined ? [] : [[id, index] as const];
    }),
  );
}

/** Those whose answer may have changed, the longest unasked first. */
function choose(
  devices: readonly Listed<Device>[],
  asked: ReadonlyMap<string, Asked>,
  now: { readonly sign: string | null; readonly atMs: number; readonly startedAtMs: number },
) {
  return devices
    .map((device, index) => {
      const { sign, atMs } = asked.get(keyOf(device)) ?? { sign: null, atMs: now.startedAtMs };
      return { device, index, sign, atMs };
    })
    .filter(({ sign, atMs }) => (now.sign !== null && sign !== now.sign) || now.atMs - atMs > ASKED_AGAIN_MS)
    .sort((a, b) => a.atMs - b.atMs)
    .slice(0, MOST_ASKED);
}

function signOf(keyring: Keyring, homeless: readonly string[]): string {
  return lookupHash(keyring, 'payload', [...homeless].sort().join()).toString('base64');
}

function keyOf({ fingerprints }: Listed<Device>): string {
  return fingerprints.fingerprint.value.toString('base64');
}
