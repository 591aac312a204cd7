import type { Sql } from '../database/connect.ts';
import { toStoreError } from '../database/store-error.ts';
import { isLive } from './live-secrets.ts';

/** A live signing secret as it is shown: never the secret, nor its hash. */
export interface SigningSecretRow {
  readonly service: string;
  /** Origin of the destination it is for; null for all that have none of their own. */
  readonly destination: string | null;
  readonly createdAt: Date;
  /** When it ends by itself; null for when a person says so. */
  readonly endsAt: Date | null;
}

/** Every live signing secret, by service and destination, newest first. */
export async function listSigningSecrets(sql: Sql): Promise<SigningSecretRow[]> {
  try {
    return await sql<SigningSecretRow[]>`
      select s.name as service, k.destination, k.created_at, k.ends_at
      from signing_secret k join service s on s.id = k.service_id
      where s.retired_at is null and ${isLive(sql)} order by s.name, k.destination nulls first, k.id desc`;
  } catch (error) {
    throw toStoreError(error);
  }
}

export interface SealedSigningSecret {
  /** Part of what its seal covers. */
  readonly serviceId: number;
  readonly sealedSecret: Buffer;
  readonly createdAt: Date;
  readonly endsAt: Date | null;
}

/** What signs for a destination now, or for all of a service without their own: sealed, newest first. */
export async function readSigningSecrets(
  sql: Sql,
  service: string,
  destination: string | null,
): Promise<SealedSigningSecret[]> {
  try {
    return await sql<SealedSigningSecret[]>`
      select k.service_id, k.sealed_secret, k.created_at, k.ends_at
      from signing_secret k join service s on s.id = k.service_id
      where s.name = ${service} and s.retired_at is null and k.destination is not distinct from ${destination} and ${isLive(sql)}
      order by k.id desc`;
  } catch (error) {
    throw toStoreError(error);
  }
}

/** Whether a keyed hash is that of a live signing secret of this service. */
export async function isLiveSigningSecret(sql: Sql, service: string, secretHash: Buffer): Promise<boolean> {
  try {
    const rows = await sql`
      select 1 from signing_secret k join service s on s.id = k.service_id
      where s.name = ${service} and s.retired_at is null and k.destination is null and k.secret_hash = ${secretHash} and ${isLive(sql)}`;
    return rows.length > 0;
  } catch (error) {
    throw toStoreError(error);
  }
}

/**
 * Forgets secrets whose overlap is over: they have not signed since, and only their hash is kept.
 * @returns how many
 */
export async function forgetEndedSecrets(sql: Sql): Promise<number> {
  const { count } = await sql`
    update signing_secret set retired_at = ends_at, sealed_secret = '' where retired_at is null and ends_at <= clock_timestamp()`;
  return count;
}
