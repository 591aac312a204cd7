import { LAYERS, type Layer } from '@tidegate/core';
import type { Config } from '@tidegate/runtime';

/** By service: the layers a verification asks, in dependency order, as far as the config says; nothing of how. */
export function listProbes({ services, localtonet }: Config): ReadonlyMap<string, readonly Layer[]> {
  return new Map(
    services.map(({ name, device, tunnel, probes }) => {
      const asked: Readonly<Record<Layer, boolean>> = {
        local_liveness: probes.liveness !== null,
        local_readiness: probes.readiness !== null,
        device: localtonet !== null && (device !== null || tunnel !== null),
        tunnel: localtonet !== null && tunnel !== null,
        public: probes.public !== null,
        application: probes.application !== null,
      };
      return [name, LAYERS.filter((layer) => asked[layer])];
    }),
  );
}
