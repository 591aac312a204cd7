import type { SafeName, SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql } from '../database/connect.ts';
import { addTimeline } from '../incident/add-timeline.ts';
import { type IncidentOrder, lockIncident, type OutOfReach } from './lock-incident.ts';

export type AcknowledgedIncident =
  | { readonly kind: 'acknowledged' }
  /** Somebody was first: they are on it. */
  | { readonly kind: 'acknowledged_before'; readonly by: string }
  | { readonly kind: 'resolved' }
  | OutOfReach;

/** Marks an open incident as somebody's, with its audit row: it goes on, and no longer calls for anybody. */
export async function acknowledgeIncident(
  sql: Sql,
  order: IncidentOrder,
  sign: SignAudit,
): Promise<Audited<AcknowledgedIncident>> {
  return inAuditedTransaction<AcknowledgedIncident>(sql, sign, async (tx) => {
    const found = await lockIncident(tx, order);
    if (found.kind !== 'found') return { outcome: found, entry: null };
    const { id, state, acknowledgedBy } = found.incident;
    if (state === 'resolved') return { outcome: { kind: 'resolved' }, entry: null };
    if (state === 'acknowledged') {
      return { outcome: { kind: 'acknowledged_before', by: acknowledgedBy ?? '' }, entry: null };
    }
    await tx`update incident set state = 'acknowledged', acknowledged_at = clock_timestamp(), acknowledged_by = ${order.actor}
             where id = ${id} and state = 'open'`;
    await addTimeline(tx, id, { event: 'incident.acknowledged', by: order.actor });
    const facts = { key: order.keyId };
    const entry = { actor: order.actor, action: 'incident.acknowledge', target: id, reason: null, facts } as const;
    return { outcome: { kind: 'acknowledged' }, entry };
  });
}

export type NotedIncident = { readonly kind: 'noted' } | OutOfReach;

/** Adds a person's note to the timeline of an incident, whatever its state, with its audit row. */
export async function noteIncident(
  sql: Sql,
  order: IncidentOrder & { readonly note: SafeName },
  sign: SignAudit,
): Promise<Audited<NotedIncident>> {
  return inAuditedTransaction<NotedIncident>(sql, sign, async (tx) => {
    const found = await lockIncident(tx, order);
    if (found.kind !== 'found') return { outcome: found, entry: null };
    const { actor, note, keyId } = order;
    const { id } = found.incident;
    await addTimeline(tx, id, { event: 'incident.noted', by: actor, note });
    const entry = { actor, action: 'incident.note', target: id, reason: note, facts: { key: keyId } } as const;
    return { outcome: { kind: 'noted' }, entry };
  });
}
