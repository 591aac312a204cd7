import type { Device, LocaltonetClient, LocaltonetResult, Tunnel } from '@tidegate/outbound';
import { fingerprintSubject, type Keyring } from '@tidegate/vault';
import { shareCall } from '../wake/share-call.ts';

/** Finds the account's device or tunnel that a subject's fingerprint stands for: no stored credential is opened for it. */
interface AccountList<T> {
  readonly items: readonly T[];
  find(group: string, fingerprint: Buffer, version: number): T | null;
}

export interface AccountReader {
  devices(): Promise<LocaltonetResult<AccountList<Device>>>;
  tunnels(): Promise<LocaltonetResult<AccountList<Tunnel>>>;
}

/**
 * Reads the two lists of API v2. Verifications that ask at the same time share one call each, so the API is asked at most
 * twice however many services come back at once, and a token stays out of every URL.
 */
export function createAccountReader(client: LocaltonetClient, keyring: Keyring): AccountReader {
  return {
    devices: shareCall(async () => index(await client.listDevices(), keyring, 'device', (device) => device.token)),
    tunnels: shareCall(async () => index(await client.listTunnels(), keyring, 'tunnel', (tunnel) => tunnel.id)),
  };
}

function index<T>(
  result: LocaltonetResult<readonly T[]>,
  keyring: Keyring,
  type: 'device' | 'tunnel',
  idOf: (item: T) => string,
): LocaltonetResult<AccountList<T>> {
  if (!result.ok) return result;
  const byGroup = new Map<string, Map<string, T>>();
  const indexOf = (group: string, version: number) => {
    const key = `${version}:${group}`;
    const known = byGroup.get(key);
    if (known !== undefined) return known;
    const made = new Map(
      result.value.map((item) => [
        fingerprintSubject(keyring, { group, type, id: idOf(item) }, version).value.toString('base64'),
        item,
      ]),
    );
    byGroup.set(key, made);
    return made;
  };
  const find = (group: string, fingerprint: Buffer, version: number) =>
    indexOf(group, version).get(fingerprint.toString('base64')) ?? null;
  return { ...result, value: { items: result.value, find } };
}
