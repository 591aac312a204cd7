import type { SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql } from '../database/connect.ts';
import { lockSource } from './lock-source.ts';
import type { RotationEnd } from './rotate-source.ts';

export type CancelledRotation =
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'nothing_to_cancel' }
  /** The config, or its file, gives the second secret, which would be live again at the next start. */
  | { readonly kind: 'configured' };

/**
 * Retires the second secret of a source, with its audit row, so that a rotation whose URL was lost can be begun again. The
 * secrets from before it stay.
 */
export async function cancelRotation(
  sql: Sql,
  order: RotationEnd,
  sign: SignAudit,
): Promise<Audited<CancelledRotation>> {
  return inAuditedTransaction<CancelledRotation>(sql, sign, async (tx) => {
    const { name, actor, madeHash } = order;
    const source = await lockSource(tx, name);
    if (source === null) return { outcome: { kind: 'not_found' }, entry: null };
    const [second, ...before] = source.secrets;
    if (second === undefined || before.length === 0) return { outcome: { kind: 'nothing_to_cancel' }, entry: null };
    const made = source.secrets.find(({ lookupHash }) => madeHash !== null && lookupHash.equals(madeHash));
    // The file says what every start brings back; without one of a live secret, what the config gave last.
    const isConfigured = made === undefined ? second.origin === 'config' : made === second;
    if (isConfigured) return { outcome: { kind: 'configured' }, entry: null };
    await tx`update source_secret set retired_at = clock_timestamp() where lookup_hash = ${second.lookupHash}`;
    const entry = { actor, action: 'source.cancel_rotation', target: name, reason: null, facts: {} } as const;
    return { outcome: { kind: 'cancelled' }, entry };
  });
}
