import type { SafeName, SignAudit } from '@tidegate/core';
import { type Audited, inAuditedTransaction } from '../audit/in-audited-transaction.ts';
import type { Sql, Transaction } from '../database/connect.ts';
import type { SealedSecret } from './apply-signing-secrets.ts';
import { isLive, LIVE_SECRETS, listLive, lockService, retire, type SigningTarget } from './live-secrets.ts';

/** A person's order about the signing secrets of a service, or of one destination of it. */
export interface SigningSecretOrder {
  readonly service: string;
  /** An origin; null for all destinations that have none of their own. */
  readonly destination: string | null;
  readonly actor: SafeName;
  readonly reason: SafeName;
}

export interface SigningSecretRotation extends SigningSecretOrder {
  readonly seal: (serviceId: number) => SealedSecret;
  /** After this the one before it ends by itself; null: when a person says so. */
  readonly overlapMs: number | null;
}

export type RotatedSigningSecret =
  | { readonly kind: 'rotated' /** When the one before it ends by itself. */; readonly endsAt: Date | null }
  | { readonly kind: 'not_found' }
  /** Two sign already: retire the older one first. */
  | { readonly kind: 'under_way' };

/**
 * Adds a new signing secret, with its audit row. It signs from the next attempt on, beside the one before it. The first of a
 * destination's own begins beside those of its service, which the destination has known so far.
 */
export async function rotateSigningSecret(
  sql: Sql,
  rotation: SigningSecretRotation,
  sign: SignAudit,
): Promise<Audited<RotatedSigningSecret>> {
  return inAuditedTransaction<RotatedSigningSecret>(sql, sign, async (tx) => {
    const { service, destination, actor, reason, overlapMs } = rotation;
    const serviceId = await lockService(tx, service);
    if (serviceId === null) return { outcome: { kind: 'not_found' }, entry: null };
    const target = { serviceId, destination };
    if (destination !== null && (await listLive(tx, target)).length === 0) {
      if ((await listLive(tx, { serviceId, destination: null })).length >= LIVE_SECRETS)
        return { outcome: { kind: 'under_way' }, entry: null };
      await copyFromService(tx, target);
    }
    const before = await listLive(tx, target);
    if (before.length >= LIVE_SECRETS) return { outcome: { kind: 'under_way' }, entry: null };
    const { sealed, hash } = rotation.seal(serviceId);
    await tx`insert into signing_secret (service_id, destination, sealed_secret, secret_hash, created_at)
             values (${serviceId}, ${destination}, ${sealed}, ${hash}, clock_timestamp())`;
    const [older] = await tx<{ endsAt: Date | null }[]>`
      update signing_secret set ends_at = clock_timestamp() + ${overlapMs}::float8 * interval '1 millisecond'
      where id = any(${before.map(({ id }) => id)}::bigint[]) returning ends_at`;
    const facts = { destination, overlapMs };
    const entry = { actor, action: 'signing_secret.rotate', target: service, reason, facts } as const;
    return { outcome: { kind: 'rotated', endsAt: older?.endsAt ?? null }, entry };
  });
}

/** Sealed for the service, which does not change by the copy. */
async function copyFromService(tx: Transaction, { serviceId, destination }: SigningTarget): Promise<void> {
  await tx`
    insert into signing_secret (service_id, destination, sealed_secret, secret_hash, created_at)
    select k.service_id, ${destination}, k.sealed_secret, k.secret_hash, k.created_at from signing_secret k
    where k.service_id = ${serviceId} and k.destination is null and ${isLive(tx)} order by k.id`;
}

export type RetiredSigningSecret =
  | { readonly kind: 'retired' }
  | { readonly kind: 'not_found' }
  /** Only one signs: nothing is being rotated. */
  | { readonly kind: 'nothing_to_retire' };

/** Ends every secret but the newest at once, with its audit row. */
export async function retireSigningSecret(
  sql: Sql,
  { service, destination, actor, reason }: SigningSecretOrder,
  sign: SignAudit,
): Promise<Audited<RetiredSigningSecret>> {
  return inAuditedTransaction<RetiredSigningSecret>(sql, sign, async (tx) => {
    const serviceId = await lockService(tx, service);
    if (serviceId === null) return { outcome: { kind: 'not_found' }, entry: null };
    const [, ...older] = await listLive(tx, { serviceId, destination });
    if (older.length === 0) return { outcome: { kind: 'nothing_to_retire' }, entry: null };
    await retire(tx, older);
    const facts = { destination, retired: older.length };
    return {
      outcome: { kind: 'retired' },
      entry: { actor, action: 'signing_secret.retire', target: service, reason, facts },
    };
  });
}
