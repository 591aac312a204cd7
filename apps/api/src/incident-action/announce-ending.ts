import type { Audited, ResolvedIncident } from '@tidegate/store';
import type { ApiContext } from '../api-context.ts';
import { logHead } from '../hand/acting-key.ts';

/** Tells the log that a person ended an incident, and by what. */
export function announceEnding(
  { log, metrics }: ApiContext,
  incident: string,
  { outcome, head }: Audited<ResolvedIncident>,
): void {
  logHead(log, head);
  if (outcome.kind !== 'resolved') return;
  metrics.count('correlate.resolved', { by: 'person' });
  log.info('incident.resolved', {
    incident,
    why: outcome.by,
    ...(outcome.by === 'evidence' && { verification: outcome.verification }),
  });
}
