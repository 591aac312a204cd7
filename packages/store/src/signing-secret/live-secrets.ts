import type { Sql, Transaction } from '../database/connect.ts';

/** Two sign at once while one takes the place of the other. */
export const LIVE_SECRETS = 2;

/** SQL for signing secret `k`: it still signs. */
export function isLive(sql: Sql | Transaction) {
  return sql`(k.retired_at is null and (k.ends_at is null or k.ends_at > clock_timestamp()))`;
}

/** Whose secrets: all destinations of a service that have none of their own, or one destination by its origin. */
export interface SigningTarget {
  readonly serviceId: number;
  readonly destination: string | null;
}

/** A live signing secret, never the secret itself. */
export interface LiveSecret {
  readonly id: number;
  readonly secretHash: Buffer | null;
}

/** Takes a live service for this transaction, so that its secrets change one after the other; null when there is none. */
export async function lockService(tx: Transaction, name: string): Promise<number | null> {
  const [row] = await tx<{ id: number }[]>`
    select id from service where name = ${name} and retired_at is null for no key update`;
  return row?.id ?? null;
}

/** The live secrets of a target, newest first. */
export async function listLive(tx: Transaction, { serviceId, destination }: SigningTarget): Promise<LiveSecret[]> {
  return tx<LiveSecret[]>`
    select k.id, k.secret_hash from signing_secret k
    where k.service_id = ${serviceId} and k.destination is not distinct from ${destination} and ${isLive(tx)} order by k.id desc`;
}

/** Ends secrets at once. Nothing of them is kept but the hash, by which they are known again. */
export async function retire(tx: Transaction, secrets: readonly LiveSecret[]): Promise<void> {
  if (secrets.length === 0) return;
  await tx`update signing_secret set retired_at = clock_timestamp(), sealed_secret = ''
           where id = any(${secrets.map(({ id }) => id)}::bigint[])`;
}
