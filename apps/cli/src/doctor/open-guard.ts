import { type AddressGuard, createAddressGuard } from '@tidegate/outbound';
import type { Config } from '@tidegate/runtime';

/** The guard that the worker's probes pass, so that doctor sees what the worker sees. */
export function openGuard(config: Config): AddressGuard {
  return createAddressGuard({ allowPrivate: config.outbound.probes.allowPrivate, denied: [] });
}
