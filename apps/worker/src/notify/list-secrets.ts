import { secretsOf } from '@tidegate/outbound';
import type { Config } from '@tidegate/runtime';

/** Every secret of the config that this process knows, so that no notification can hold one. */
export function listSecrets({ localtonet, services, notify, deadMan, traces }: Config): string[] {
  const probes = services.flatMap((service) =>
    Object.values(service.probes).flatMap((probe) =>
      probe === null || 'reporter' in probe ? [] : [probe.url, ...Object.values(probe.headers)],
    ),
  );
  const sent = [...probes, ...Object.values(traces?.headers ?? {})];
  const given = [localtonet?.apiKey, deadMan?.url, ...services.map(({ signingSecret }) => signingSecret)];
  return [
    ...given.filter((value) => typeof value === 'string'),
    ...sent,
    // `Bearer x` is known by x alone as well.
    ...sent.flatMap((value) => (value.includes(' ') ? [value.slice(value.indexOf(' ') + 1)] : [])),
    ...notify.channels.flatMap(({ target }) => (target === null ? [] : secretsOf(target))),
  ];
}
