import type { Sql, Transaction } from '../database/connect.ts';
import { inTransaction } from '../database/in-transaction.ts';
import { LIVE_SECRETS, listLive, lockService, retire } from './live-secrets.ts';

/** A secret as it is stored. */
export interface SealedSecret {
  readonly sealed: Buffer;
  /** Keyed hash. */
  readonly hash: Buffer;
}

export interface SigningSecrets {
  /** What the config, or the file that stands in for it, gives a service; null when neither does. */
  readonly given: (service: string, serviceId: number) => SealedSecret | null;
  /** Makes and seals a new one. */
  readonly made: (serviceId: number) => SealedSecret;
}

/**
 * Gives every service its signing secret: the one it is given, or one made once. A given one that is new becomes the newest,
 * and the one before it goes on signing beside it until it is retired. One that was retired never comes back by this.
 * @returns services that are given a retired secret: theirs is another one
 */
export async function applySigningSecrets(sql: Sql, secrets: SigningSecrets): Promise<string[]> {
  return inTransaction(sql, async (tx) => {
    const services = await tx<{ name: string }[]>`select name from service where retired_at is null order by id`;
    const outdated: string[] = [];
    for (const { name } of services) {
      const serviceId = await lockService(tx, name);
      if (serviceId === null) continue;
      const given = secrets.given(name, serviceId);
      if ((await applyOne(tx, serviceId, given, secrets)) === 'retired') outdated.push(name);
    }
    return outdated;
  });
}

async function applyOne(
  tx: Transaction,
  serviceId: number,
  given: SealedSecret | null,
  { made }: Pick<SigningSecrets, 'made'>,
): Promise<'applied' | 'retired'> {
  const live = await listLive(tx, { serviceId, destination: null });
  if (given === null) {
    if (live.length === 0) await insert(tx, serviceId, made(serviceId));
    return 'applied';
  }
  const [known] = await tx<{ live: boolean }[]>`
    select coalesce(bool_or(id = any(${live.map(({ id }) => id)}::bigint[])), false) as live from signing_secret
    where service_id = ${serviceId} and destination is null and secret_hash = ${given.hash} having count(*) > 0`;
  if (known !== undefined) return known.live ? 'applied' : 'retired';
  // Stored before there were hashes: replaced once, as every start did then.
  const [unnamed] = live.filter(({ secretHash }) => secretHash === null);
  if (unnamed !== undefined) {
    await tx`update signing_secret set sealed_secret = ${given.sealed}, secret_hash = ${given.hash} where id = ${unnamed.id}`;
    return 'applied';
  }
  await insert(tx, serviceId, given);
  await retire(tx, live.slice(LIVE_SECRETS - 1));
  return 'applied';
}

async function insert(tx: Transaction, serviceId: number, { sealed, hash }: SealedSecret): Promise<void> {
  await tx`insert into signing_secret (service_id, sealed_secret, secret_hash, created_at)
           values (${serviceId}, ${sealed}, ${hash}, clock_timestamp())`;
}
