import type { IncidentKind } from '../model/incident.ts';
import type { Severity } from '../model/notification.ts';

/**
 * How much an incident matters: `info` when no service depends on it, `warning` for a connection that comes and goes,
 * `critical` for services that are cut off, and for an outage of many devices in any case.
 */
export function severityOf({
  kind,
  services,
}: {
  readonly kind: IncidentKind;
  readonly services: readonly string[];
}): Severity {
  if (kind === 'mass') return 'critical';
  if (services.length === 0) return 'info';
  return kind === 'flapping' ? 'warning' : 'critical';
}
