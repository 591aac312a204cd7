import { createAddressGuard, parseDestination } from '@tidegate/outbound';
import type { Config } from '@tidegate/runtime';

/** What needs no name lookup to be known: whoever checks a config may be on another network than the worker. */
const lookUp = (name: string) => Promise.resolve(name === 'localhost' ? ['127.0.0.1'] : []);

/**
 * Sentences about the probes of a service whose address is private by itself and not opened: each would be refused for ever.
 * @param config as the worker sees it
 */
export async function findRefusedProbes(config: Config, service: Config['services'][number]): Promise<string[]> {
  const guard = createAddressGuard({ allowPrivate: config.outbound.probes.allowPrivate, denied: [], lookup: lookUp });
  const found: string[] = [];
  for (const [name, probe] of Object.entries(service.probes)) {
    const parsed = probe !== null && 'url' in probe ? parseDestination(probe.url) : null;
    if (!parsed?.ok) continue;
    const { hostname, port } = parsed.destination;
    const admission = await guard.admit(parsed.destination);
    if (admission.ok || admission.reason === 'dns') continue;
    found.push(
      `Its ${name} probe is refused, since ${hostname} is private (${admission.denial}): name it under outbound.probes.allowPrivate, as ${toEntry(hostname, port)}.`,
    );
  }
  return found;
}

function toEntry(hostname: string, port: number): string {
  if (hostname.includes(':')) return `"[${hostname}]/128:${port}"`;
  return `"${hostname === 'localhost' ? '127.0.0.1' : hostname}/32:${port}"`;
}
