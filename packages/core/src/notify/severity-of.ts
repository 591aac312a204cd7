import type { IncidentKind } from '../model/incident.ts';
import { SEVERITIES, type Severity } from '../model/notification.ts';

/** How much each service matters when it is cut off, by name; one that is not named is `critical`. */
export type ServiceSeverities = ReadonlyMap<string, Severity>;

/**
 * How much an incident, or a review of callbacks, matters: `info` when no service depends on it, else as much as the most
 * important of its services, but no more than `warning` for a connection that comes and goes and for a review. An outage of many
 * devices is `critical` in any case.
 */
export function severityOf(
  { kind, services }: { readonly kind: IncidentKind | 'review'; readonly services: readonly string[] },
  ofServices: ServiceSeverities,
): Severity {
  if (kind === 'mass') return 'critical';
  const worst = SEVERITIES.find((severity) =>
    services.some((name) => (ofServices.get(name) ?? 'critical') === severity),
  );
  if (worst === undefined) return 'info';
  return worst === 'critical' && (kind === 'flapping' || kind === 'review') ? 'warning' : worst;
}
