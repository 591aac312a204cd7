import { leadsTo } from '@tidegate/core';
import { createLocaltonetClient, type LocaltonetFailure, type Tunnel } from '@tidegate/outbound';
import type { Config } from '@tidegate/runtime';
import { broken, type Finding, ok, warning } from './finding.ts';
import { openGuard } from './open-guard.ts';

const TIMEOUT_MS = 10_000;
const MAX_LIST_BYTES = 48 * 1024 * 1024;

/** Whether the API key works, and whether webhooks would come in through a tunnel of this account. */
export async function examineLocaltonet(config: Config | null): Promise<Finding[]> {
  if (config === null) return [];
  if (config.localtonet === null) {
    const fix = 'Add a localtonet section with an API key to the config, so that a lost webhook is found.';
    return [
      warning('localtonet', 'No localtonet section: the account is not polled.', fix),
      ...judgeWayIn(config, null),
    ];
  }
  const { baseUrl, apiKey } = config.localtonet;
  if (apiKey === null) {
    const fix = 'Give localtonet.apiKey in the config, as a reference to a variable.';
    return [warning('localtonet', 'No API key: the account is not polled.', fix), ...judgeWayIn(config, null)];
  }
  const options = { baseUrl, apiKey, timeoutMs: TIMEOUT_MS, maxAnswerBytes: MAX_LIST_BYTES };
  const client = createLocaltonetClient({ ...options, guard: openGuard(config) });
  const devices = await client.listDevices();
  const tunnels = devices.ok ? await client.listTunnels() : devices;
  await client.close();
  if (devices.ok && tunnels.ok) {
    const says = `The API key works: ${devices.value.length} device(s), ${tunnels.value.length} tunnel(s).`;
    return [ok('localtonet', says), ...judgeWayIn(config, tunnels.value)];
  }
  const reason = tunnels.ok ? 'malformed' : tunnels.reason;
  return [
    broken('localtonet', `The API does not tell its devices and tunnels (${reason}).`, FIXES[reason]),
    ...judgeWayIn(config, null),
  ];
}

const FIXES: Readonly<Record<LocaltonetFailure, string>> = {
  unauthorized: 'Make a new API key in the Localtonet dashboard and put it where localtonet.apiKey refers to.',
  forbidden: 'Give the API key the right to read devices and tunnels, or make one that has it.',
  not_found: 'Correct localtonet.baseUrl: there is no API of version 2 at it.',
  rate_limited: 'Ask less often with a longer localtonet.pollEvery, and see who else uses this key.',
  server_error: 'Wait: Localtonet itself fails. Webhooks and probes go on meanwhile.',
  timeout: 'See that this machine reaches the host of localtonet.baseUrl quickly.',
  unreachable: 'See that this machine reaches the host of localtonet.baseUrl: name lookup, firewall, TLS.',
  address_denied: 'The host of localtonet.baseUrl is private: name its network in outbound.probes.allowPrivate.',
  malformed: 'Correct localtonet.baseUrl: what answers there is not API version 2.',
};

/** A receiver that is reached through what it watches cannot be told that it broke. */
function judgeWayIn({ receiver }: Config, tunnels: readonly Tunnel[] | null): Finding[] {
  const { publicUrl, allowSelfDependency } = receiver;
  if (publicUrl === null) {
    const fix = 'Set receiver.publicUrl to the URL that Localtonet posts to.';
    return [warning('self_dependency', 'It is not known how webhooks come in.', fix)];
  }
  const through = (tunnels ?? []).filter(({ url }) => url !== null && leadsTo(url, publicUrl)).length;
  if (through > 0) {
    const says = 'Webhooks come in through a tunnel that this account lists: when it breaks, nobody is told.';
    return [broken('self_dependency', says, 'Give the receiver another way in, and set receiver.publicUrl to it.')];
  }
  if (allowSelfDependency) {
    const fix = 'Take receiver.allowSelfDependency away once the receiver has another way in.';
    return [warning('self_dependency', 'The check of the way in is switched off.', fix)];
  }
  const unseen = tunnels === null ? ' of the config' : '';
  return [ok('self_dependency', `Webhooks do not come in through a tunnel${unseen} that is watched.`)];
}
