import type { SubjectType } from '@tidegate/core';
import type { Device, LocaltonetClient, LocaltonetResult, Tunnel } from '@tidegate/outbound';
import type { Keyring } from '@tidegate/vault';
import { shareCall } from '../wake/share-call.ts';
import { mergeRepeats } from './merge-repeats.ts';
import { createNamer, type Fingerprints, type Namer } from './name-listed.ts';

/** One list of the account, and how its items are named in a source group: no stored credential is opened for it. */
export interface AccountList<T> {
  readonly items: readonly T[];
  /** The fingerprints of the items, in order. */
  names(group: string): Promise<readonly Fingerprints[]>;
  /** The item that a subject's fingerprint stands for; null when there is none. */
  find(group: string, fingerprint: Buffer, version: number): Promise<T | null>;
}

export interface AccountReader {
  devices(): Promise<LocaltonetResult<AccountList<Device>>>;
  tunnels(): Promise<LocaltonetResult<AccountList<Tunnel>>>;
  /** The token goes into the path of the request: for an API whose list of tunnels does not name devices. */
  tunnelsOfDevice(token: string): Promise<LocaltonetResult<readonly Tunnel[]>>;
}

export interface AccountReaderOptions {
  readonly client: LocaltonetClient;
  readonly keyring: Keyring;
  /** Runs a call when the budget of the API allows it. */
  readonly within: <T>(call: () => Promise<T>) => Promise<T>;
}

/**
 * Reads the lists of API v2. Verifications and polls that ask at the same time share one call each, so the API is asked at
 * most twice however many services come back at once.
 */
export function createAccountReader({ client, keyring, within }: AccountReaderOptions): AccountReader {
  const namer = createNamer(keyring);
  return {
    devices: shareCall(async () =>
      index(await within(() => client.listDevices()), namer, 'device', (device) => device.token),
    ),
    tunnels: shareCall(async () =>
      index(await within(() => client.listTunnels()), namer, 'tunnel', (tunnel) => tunnel.id),
    ),
    tunnelsOfDevice: (token) => within(() => client.tunnelsOfDevice(token)),
  };
}

function index<T extends object>(
  result: LocaltonetResult<readonly T[]>,
  namer: Namer,
  type: SubjectType,
  idOf: (item: T) => string,
): LocaltonetResult<AccountList<T>> {
  if (!result.ok) return result;
  // What is no text has no fingerprint, and names nothing that a webhook could report.
  const items = mergeRepeats(
    result.value.filter((item) => !/\p{Surrogate}/u.test(idOf(item))),
    idOf,
  );
  const named = new Map<string, Promise<readonly Fingerprints[]>>();
  const names = (group: string) => {
    const known = named.get(group) ?? namer.name({ group, type }, items.map(idOf));
    named.set(group, known);
    return known;
  };
  const found = new Map<string, Promise<ReadonlyMap<string, T>>>();
  const find = async (group: string, fingerprint: Buffer, version: number) => {
    const byName = found.get(group) ?? names(group).then((all) => byFingerprint(items, all));
    found.set(group, byName);
    // A key this process has not picked up yet names nothing here: for these seconds the layer is unknown, which fails nothing.
    return (await byName).get(keyOf(version, fingerprint)) ?? null;
  };
  return { ...result, value: { items, names, find } };
}

function byFingerprint<T>(items: readonly T[], names: readonly Fingerprints[]): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const [position, item] of items.entries()) {
    const { fingerprint, otherFingerprints } = names[position] ?? {};
    for (const name of [fingerprint, ...(otherFingerprints ?? [])])
      if (name !== undefined) found.set(keyOf(name.version, name.value), item);
  }
  return found;
}

function keyOf(version: number, fingerprint: Buffer): string {
  return `${version}:${fingerprint.toString('base64')}`;
}
